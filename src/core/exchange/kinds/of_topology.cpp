// SPDX-License-Identifier: BSD-3-Clause
// Ghosts, reverse, shared reductions: over the edges of each field's topology.
#include "base/types.h"
#include "exchange/kinds/kinds.h"
#include "topology/forest/forest.h"

namespace halo {

namespace {

void check_reverse(const Field &field, const halo_exchange_desc &desc) {
    const auto *const forest = dynamic_cast<const ForestTopology *>(&field.topology());
    if (!forest || desc.kind != HALO_KIND_REVERSE) return;
    for (const Centring place : field.spec().places)
        if (!forest->keeps(place))
            fail(HALO_ERR_ARGUMENT, "exchange: field %s: faces and edges go in reverse where no trees are turned against each other",
                 field.spec().name.c_str());
}

void check_of_topology(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (desc.kind < HALO_KIND_GHOSTS || desc.kind > HALO_KIND_SHARED_REDUCE)
        fail(HALO_ERR_ARGUMENT, "exchange: kind %d is none of HALO_KIND_...", desc.kind);
    if (desc.shared < HALO_SHARED_KEEP || desc.shared > HALO_SHARED_ONLY)
        fail(HALO_ERR_ARGUMENT, "exchange: shared %d is none of HALO_SHARED_...", desc.shared);
    if (desc.combine_order != HALO_COMBINE_BY_GID && desc.combine_order != HALO_COMBINE_CANONICAL)
        fail(HALO_ERR_ARGUMENT, "exchange: combine_order %d is none of HALO_COMBINE_...", desc.combine_order);
    if (desc.kind != HALO_KIND_GHOSTS) check_combining(fields, desc);
    for (const Field *field : fields) check_reverse(*field, desc);
    for (size_t f = 0; desc.sections && f < fields.size(); ++f)
        if (desc.sections[f] != 0 && !fields[f]->topology().has_sections())
            fail(HALO_ERR_ARGUMENT, "exchange: sections %#x of field %s: its topology has none", desc.sections[f], fields[f]->spec().name.c_str());
}

Combining combining_of(const halo_exchange_desc &desc, bool check_mode) {
    Combining combining;
    if (desc.kind == HALO_KIND_GHOSTS) return combining;
    combining.op = desc.op;
    combining.canonical = desc.combine_order == HALO_COMBINE_CANONICAL;
    combining.owner_overwrites = desc.kind == HALO_KIND_SHARED_REDUCE;
    combining.reads_in_place = desc.source_stable != 0 && desc.kind == HALO_KIND_REVERSE && !combining.has_own_rows(desc.op) && !check_mode;
    return combining;
}

std::string kind_text(const halo_exchange_desc &desc, const Combining &combining, int32_t sweep) {
    static constexpr const char *kinds[] = { "ghosts", "reverse", "shared reduction" };
    static constexpr const char *stencils[] = { "full stencil", "stencil of faces", "stencil of faces and edges" };
    static constexpr const char *shared[] = { "", ", shared points from their owners", ", shared points alone" };
    std::string text = kinds[desc.kind];
    if (combining.combines()) text += format(" by %s%s", op_name(combining.op), combining.canonical ? " in canonical order" : "");
    text += format(", %s%s", stencils[desc.stencil], shared[desc.shared]);
    return sweep < 0 ? text : text + format(", sweep along direction %d", sweep);
}

} // namespace

RoundSpec topology_round(const std::vector<Field *> &fields, const halo_exchange_desc &desc, int32_t sweep) {
    RoundSpec round = round_of(fields, desc);
    check_of_topology(fields, desc);
    const Combining combining = combining_of(desc, fields[0]->topology().context().check_mode());
    round.kind = kind_text(desc, combining, sweep);
    round.op = combining.op;
    round.canonical = combining.canonical;
    for (int32_t f = 0; f < std::ssize(fields); ++f) {
        const Field &field = *fields[static_cast<size_t>(f)];
        if (desc.sections && desc.sections[f] != 0) round.kind += format(", sections %#x of %s", desc.sections[f], field.spec().name.c_str());
        TopologyUse use;
        use.request.ghosts = field.spec().ghosts;
        use.request.stencil = desc.stencil;
        use.request.shared = desc.shared;
        use.request.sections = desc.sections ? desc.sections[f] : 0;
        use.request.flow = desc.kind == HALO_KIND_SHARED_REDUCE ? Flow::between_copies : Flow::from_owner;
        use.reversed = desc.kind == HALO_KIND_REVERSE;
        use.sweep = sweep;
        round.pieces.push_back({ f, f, edges_of_topology(field.topology(), use), combining, meaning_of(desc.kind, combining, desc.shared) });
    }
    return round;
}

} // namespace halo
