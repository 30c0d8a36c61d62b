// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/kinds/kinds.h"

#include <algorithm>

namespace halo {

namespace {

bool choose(int32_t asked, int32_t no, int32_t yes, bool configured, const char *what) {
    if (asked != 0 && asked != no && asked != yes) fail(HALO_ERR_ARGUMENT, "exchange: %s %d is not known", what, asked);
    return asked == yes || (asked == 0 && configured);
}

} // namespace

RoundSpec round_of(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check_fields(fields);
    if (desc.edges < HALO_EDGES_ALL || desc.edges > HALO_EDGES_REMOTE)
        fail(HALO_ERR_ARGUMENT, "exchange: edges %d is none of HALO_EDGES_...", desc.edges);
    if (desc.stencil < HALO_STENCIL_FULL || desc.stencil > HALO_STENCIL_EDGES)
        fail(HALO_ERR_ARGUMENT, "exchange: stencil %d is none of HALO_STENCIL_...", desc.stencil);
    const Config &config = fields[0]->topology().context().config();
    RoundSpec round{ fields };
    round.scope = { desc.edges != HALO_EDGES_REMOTE, desc.edges != HALO_EDGES_LOCAL };
    round.per_channel =
        choose(desc.messages, HALO_MESSAGES_AGGREGATE, HALO_MESSAGES_PER_CHANNEL, config.word("messages") == "per_channel", "message policy");
    round.neighbourhood = !round.per_channel && config.word("messages") == "neighbourhood";
    round.probed = choose(desc.receive, HALO_RECEIVE_POSTED, HALO_RECEIVE_PROBED, config.word("receive") == "probed", "receive policy");
    round.source_stable = desc.source_stable != 0;
    round.timeout_seconds = desc.timeout_seconds;
    round.combine = desc.combine;
    round.combine_user = desc.combine_user;
    return round;
}

Context::Numbers numbers_of(const Topology &topology, int32_t n_fields, const halo_exchange_desc &desc, const BetweenLists &lists) {
    if (lists.levels) return { 1, (lists.n_lists - 1) * n_fields }; // fine fields have coarse cells, those of two times what is between
    if (lists.transfer) return { 1, is_forest(topology) ? 2 * n_fields : 0 };
    if (desc.pattern == HALO_PATTERN_SWEEPS) return { static_cast<uint32_t>(topology.n_dims()), 0 };
    if (desc.kind == HALO_KIND_FETCH) return { 2, n_fields }; // there and back; copies
    if (desc.kind == HALO_KIND_FLUXES || has_levels(topology)) return { 1, n_fields };
    if (desc.combine_order == HALO_COMBINE_BY_RANK) return { 1, n_fields };
    return { 1, 0 };
}

std::unique_ptr<Exchange> make_exchange(const std::vector<Field *> &fields, const halo_exchange_desc &desc, const BetweenLists &lists) {
    if (desc.pattern == HALO_PATTERN_SWEEPS) return make_sweeps(fields, desc);
    if (desc.pattern != HALO_PATTERN_DIRECT) fail(HALO_ERR_ARGUMENT, "exchange: pattern %d is none of HALO_PATTERN_...", desc.pattern);
    if (lists.levels) return make_hierarchy(fields, desc, lists);
    if (lists.transfer && is_forest(fields[0]->topology())) return make_remesh(fields, desc, *lists.transfer);
    if (lists.transfer) return make_transfer(fields, desc, *lists.transfer);
    if (desc.kind == HALO_KIND_FETCH) return make_fetch(fields, desc);
    if (desc.kind == HALO_KIND_FLUXES) return make_fluxes(fields, desc);
    if (desc.combine_order == HALO_COMBINE_BY_RANK) return make_by_rank(fields, desc);
    if (std::ranges::any_of(fields, [](const Field *field) { return has_levels(field->topology()); })) return make_levels(fields, desc);
    std::vector<RoundSpec> rounds;
    rounds.push_back(topology_round(fields, desc));
    return std::make_unique<Exchange>(fields, std::move(rounds));
}

} // namespace halo
