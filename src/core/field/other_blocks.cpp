// SPDX-License-Identifier: BSD-3-Clause
#include "field/other_blocks.h"

#include "base/error.h"
#include "topology/forest/forest.h"

namespace halo {

namespace {

const ForestTopology &require_forest(const Field &field) {
    if (const auto *const forest = dynamic_cast<const ForestTopology *>(&field.topology())) return *forest;
    fail(HALO_ERR_ARGUMENT, "field %s: its topology is no forest", field.spec().name.c_str());
}

void require_alike(const Field &field, const Field &before) {
    const FieldSpec &spec = field.spec(), &other = before.spec();
    const auto refuse = [&](const char *why) { fail(HALO_ERR_ARGUMENT, "field %s from field %s: %s", spec.name.c_str(), other.name.c_str(), why); };
    if (&field == &before) refuse("they are one field");
    require_forest(field), require_forest(before);
    if (const char *const why = why_no_move(before, field)) refuse(why);
    if (spec.element_bytes != other.element_bytes) refuse("their elements differ in size");
    if (spec.ghosts != other.ghosts) refuse("their ghosts differ");
    if (spec.n_sets != other.n_sets) refuse("their numbers of binding sets differ");
    if (field.controller() || before.controller()) refuse("storage of one follows its controller");
    if (field.is_mapped() || before.is_mapped()) refuse("one has a map of points");
    for (int32_t set = 0; set < spec.n_sets; ++set) {
        before.require_present_layouts(set);
        if (field.is_released_by_age() && before.space(set).on_device()) refuse("it is released by age, and the other is on a device");
    }
    for (const Field *one : { &field, &before })
        if (one->in_flight > 0) fail(HALO_BUSY, "field %s: an exchange is in flight", one->spec().name.c_str());
}

} // namespace

const char *why_no_move(const Field &source, const Field &destination) {
    const auto forest = [](const Field &field) -> const ForestTopology & { return static_cast<const ForestTopology &>(field.topology()); };
    const FieldSpec &from = source.spec(), &to = destination.spec();
    if (from.type != to.type) return "their types differ";
    if (from.sparse != to.sparse) return "one is sparse, the other is not";
    if (from.n_components != to.n_components) return "their numbers of components differ";
    if (from.places != to.places) return "their centrings differ";
    if (forest(source).leaves().trees() != forest(destination).leaves().trees()) return "their forests have different trees or joins";
    if (source.topology().cells_of(0) != destination.topology().cells_of(0)) return "their blocks have different numbers of cells";
    return nullptr;
}

void allocate_from(Field &field, const Field &before) {
    require_alike(field, before);
    const ForestTopology &forest = require_forest(field), &old = require_forest(before);
    const int32_t here = forest.context().rank();
    const bool allocates = !field.spec().sparse && before.is_allocated();
    field.set_allocated(before.is_allocated());
    for (size_t i = 0; i < forest.local_parts().size(); ++i) {
        const auto part = static_cast<int64_t>(i);
        const int64_t gid = old.leaves().find(forest.leaf(forest.local_parts()[i]));
        if (gid >= 0 && old.owner(gid) == here) field.share_storage(part, before, old.local_index(gid));
        for (int32_t set = 0; set < field.spec().n_sets && allocates; ++set)
            if (!field.allocated(part, set)) field.allocate_part(part, set, 1);
    }
}

} // namespace halo
