// SPDX-License-Identifier: BSD-3-Clause
// Ghosts and fluxes of forests with several levels. Beside each field stands one of the cells of the next coarser level: what goes to a coarser block
// is halved there before it is sent, what comes from one is received there and made into ghosts when the round is over.
#include <algorithm>

#include "exchange/kinds/forest_steps.h"
#include "exchange/kinds/kinds.h"
#include "topology/centring.h"

namespace halo {

namespace {

constexpr int32_t kind_levels = 101; // beside what HALO_KIND_... names

LevelGhosts ghosts_of(const Field &field, const halo_exchange_desc &desc) {
    const GhostWidths widths = desc.shared == HALO_SHARED_ONLY ? GhostWidths{} : field.spec().ghosts;
    return { widths, desc.stencil, reach_of(field), desc.shared };
}

// Blocks that touch where ghosts are made, or where the cells lie that these are made from, must differ by one level.
void check_balance(const Field &field, const LevelGhosts &ghosts) {
    static constexpr const char *names[] = { "FULL", "EDGES", "FACES" };
    const int32_t balance = forest_of(field).balance();
    const int32_t wanted = ghosts.stencil == HALO_STENCIL_FULL                        ? HALO_BALANCE_FULL
                           : ghosts.stencil == HALO_STENCIL_EDGES && ghosts.reach > 0 ? HALO_BALANCE_FULL
                           : ghosts.stencil == HALO_STENCIL_EDGES || ghosts.reach > 0 ? HALO_BALANCE_EDGES
                                                                                      : HALO_BALANCE_FACES;
    const int32_t most = field.topology().n_dims() == 3   ? HALO_BALANCE_FULL
                         : field.topology().n_dims() == 2 ? HALO_BALANCE_EDGES
                                                          : HALO_BALANCE_FACES;
    if (balance > std::max(wanted, most))
        refuse(field, format("its stencil and prolongation want a forest of HALO_BALANCE_%s, not of HALO_BALANCE_%s", names[std::max(wanted, most)],
                             names[balance]));
}

// What ghosts are, or are made of, lies in the blocks beside.
void check_widths(const Field &field, const LevelGhosts &ghosts) {
    const Extent cells = field.topology().cells_of(0);
    for (int d = 0; d < field.topology().n_dims(); ++d) {
        const int32_t low = ghosts.widths.low[d], high = ghosts.widths.high[d];
        const int64_t half = cells[d] / 2, most = std::min(half, 2 * (half - ghosts.reach));
        if (std::max(low, high) > most)
            refuse(field, format("ghosts %d and %d along direction %d, but blocks of %lld cells between levels have at most %lld", low, high, d,
                                 static_cast<long long>(cells[d]), static_cast<long long>(most)));
    }
}

void check_ghosts(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (desc.kind != HALO_KIND_GHOSTS) fail(HALO_ERR_ARGUMENT, "exchange: kind %d: blocks of several levels exchange ghosts", desc.kind);
    if (desc.edges != HALO_EDGES_ALL)
        fail(HALO_ERR_ARGUMENT, "exchange: edges %d: ghosts between levels are made of values of all edges together", desc.edges);
    for (const Field *field : fields) {
        check_on_forest(*field);
        const LevelGhosts ghosts = ghosts_of(*field, desc);
        for (const Centring place : field->spec().places) forest_of(*field).check_points(ghosts.request(place));
        check_balance(*field, ghosts);
        check_widths(*field, ghosts);
        check_pairs(*field, ghosts.widths);
    }
}

void check_fluxes(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    if (desc.shared != HALO_SHARED_KEEP || desc.stencil != HALO_STENCIL_FULL || desc.pattern != HALO_PATTERN_DIRECT)
        fail(HALO_ERR_ARGUMENT, "exchange: HALO_KIND_FLUXES goes over faces alone, not shared %d, stencil %d, pattern %d", desc.shared, desc.stencil,
             desc.pattern);
    for (const Field *field : fields) {
        check_on_forest(*field);
        if (!std::ranges::all_of(field->spec().places, is_face)) refuse(*field, "fluxes are values on faces");
    }
}

} // namespace

bool is_forest(const Topology &topology) { return dynamic_cast<const ForestTopology *>(&topology) != nullptr; }

bool has_levels(const Topology &topology) {
    const auto *forest = dynamic_cast<const ForestTopology *>(&topology);
    return forest && forest->has_levels();
}

std::unique_ptr<Exchange> make_levels(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check_ghosts(fields, desc);
    std::vector<LevelGhosts> all_ghosts;
    for (const Field *field : fields) all_ghosts.push_back(ghosts_of(*field, desc));
    auto steps = std::make_unique<ForestSteps>("ghosts between levels are made", fields, all_ghosts);
    steps->find_ghosts();
    steps->allocate();
    RoundSpec round = topology_round(fields, desc);
    round.fields = steps->fields();
    round.beside = steps.get();
    const auto n = static_cast<int32_t>(fields.size());
    for (int32_t f = 0; f < n; ++f) {
        const Field &field = *fields[static_cast<size_t>(f)];
        const LevelGhosts &ghosts = all_ghosts[static_cast<size_t>(f)];
        round.kind += text_of_prolongation(field) + text_of_restriction(field);
        const auto add = [&](int32_t source, int32_t destination, LevelWay way) {
            round.pieces.push_back(
                { source, destination, edges_of_levels(steps->edges(static_cast<size_t>(f)), way), {}, meaning_of(kind_levels, {}, desc.shared) });
        };
        add(n + f, f, LevelWay::to_coarser);
        add(f, n + f, LevelWay::to_finer);
        const bool halves = halves_ghosts(field, ghosts) || (has_cells_alone(field) && ghosts.reach == 0);
        if (!halves) add(n + f, n + f, LevelWay::beside);
    }
    return one_round(fields, std::move(round), std::move(steps));
}

std::unique_ptr<Exchange> make_fluxes(const std::vector<Field *> &fields, const halo_exchange_desc &desc) {
    check_fields(fields);
    check_fluxes(fields, desc);
    auto steps = std::make_unique<ForestSteps>("fluxes of finer blocks are averaged", fields, std::vector<LevelGhosts>(fields.size()));
    steps->find_fluxes();
    steps->allocate();
    RoundSpec round = round_of(fields, desc);
    round.fields = steps->fields();
    round.beside = steps.get();
    round.kind = "fluxes of finer blocks";
    for (const Field *field : fields) round.kind += text_of_restriction(*field);
    const auto n = static_cast<int32_t>(fields.size());
    for (int32_t f = 0; f < n; ++f)
        round.pieces.push_back({ n + f,
                                 f,
                                 edges_of_levels(steps->edges(static_cast<size_t>(f)), LevelWay::fluxes),
                                 {},
                                 meaning_of(HALO_KIND_FLUXES, {}, desc.shared),
                                 SparseRule::corrected });
    return one_round(fields, std::move(round), std::move(steps));
}

} // namespace halo
