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
    const auto refuse = [&](const char *why) {
        fail(HALO_ERR_ARGUMENT, "field %s from field %s: %s", spec.name.c_str(), other.name.c_str(), why);
    };
    if (require_forest(field).leaves().trees() != require_forest(before).leaves().trees()) refuse("their forests have different trees or joins");
    if (field.topology().cells_of(0) != before.topology().cells_of(0)) refuse("their blocks have different numbers of cells");
    if (spec.type != other.type || spec.element_bytes != other.element_bytes) refuse("their types differ");
    if (spec.n_components != other.n_components) refuse("their numbers of components differ");
    if (spec.places != other.places) refuse("their centrings differ");
    if (spec.ghosts != other.ghosts) refuse("their ghosts differ");
    if (spec.n_sets != other.n_sets) refuse("their numbers of binding sets differ");
    if (spec.sparse != other.sparse) refuse("one is sparse, the other is not");
    if (field.controller() || before.controller()) refuse("storage of one follows its controller");
    if (before.in_flight > 0) fail(HALO_BUSY, "field %s: an exchange is in flight", other.name.c_str());
}

} // namespace

void allocate_from(Field &field, const Field &before) {
    require_alike(field, before);
    const ForestTopology &forest = require_forest(field), &old = require_forest(before);
    const int32_t here = forest.context().rank();
    const bool allocates = !field.spec().sparse && !before.has_storage_of_program();
    for (size_t i = 0; i < forest.local_parts().size(); ++i) {
        const auto part = static_cast<int64_t>(i);
        const int64_t gid = old.leaves().find(forest.leaf(forest.local_parts()[i]));
        const bool was_here = gid >= 0 && old.owner(gid) == here;
        if (was_here) field.share_storage(part, before, old.local_index(gid));
        if (allocates && !(was_here && field.allocated(part, 0))) field.allocate_part(part, 0, field.spec().n_sets);
    }
}

} // namespace halo
