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
    if (require_forest(field).leaves().trees() != require_forest(before).leaves().trees()) refuse("their forests have different trees or joins");
    if (field.topology().cells_of(0) != before.topology().cells_of(0)) refuse("their blocks have different numbers of cells");
    if (spec.type != other.type || spec.element_bytes != other.element_bytes) refuse("their types differ");
    if (spec.n_components != other.n_components) refuse("their numbers of components differ");
    if (spec.places != other.places) refuse("their centrings differ");
    if (spec.ghosts != other.ghosts) refuse("their ghosts differ");
    if (spec.n_sets != other.n_sets) refuse("their numbers of binding sets differ");
    if (spec.sparse != other.sparse) refuse("one is sparse, the other is not");
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
