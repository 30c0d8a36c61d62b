// SPDX-License-Identifier: BSD-3-Clause
// What travels for ghosts between levels is what a rank lacks, each value once for each place that it comes to, in one message to each peer: however
// many levels and fields there are.
#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "filled.h"

namespace {

using namespace levels;

// Values of one component that each rank needs of each other.
class Needs {
public:
    Needs(const Case &of, const Model &model, const Stored &any, int32_t n_ranks)
        : of_(of),
          model_(model),
          n_ranks_(n_ranks),
          counts_(static_cast<size_t>(n_ranks) * static_cast<size_t>(n_ranks)) {
        for (int64_t gid = 0; gid < std::ssize(model.blocks()); ++gid) add_block(gid, any);
    }
    int64_t count(int32_t from, int32_t to) const { return counts_[static_cast<size_t>(from * n_ranks_ + to)]; }

private:
    int32_t level_of(int64_t gid) const { return model_.blocks()[static_cast<size_t>(gid)].level; }
    // Are coarse cells behind blocks of the same level made of the ghosts there, pair by pair?
    bool halves_ghosts() const {
        bool halves = of_.stencil == HALO_STENCIL_FULL;
        for (size_t d = 0; d < static_cast<size_t>(of_.shape.n_dims); ++d)
            for (const int32_t width : { of_.low[d], of_.high[d] }) halves = halves && width >= 2 && width % 2 == 0;
        return halves;
    }
    void add(int64_t from, int64_t to) { ++counts_[static_cast<size_t>(model_.owner(from) * n_ranks_ + model_.owner(to))]; }
    void add_block(int64_t gid, const Stored &any) {
        std::set<Place> coarse; // cells of the next coarser level that ghosts are made from
        const auto end = [&](size_t d) { return d < static_cast<size_t>(of_.shape.n_dims) ? of_.shape.n_cells : 1; };
        for (int64_t z = -of_.low[2]; z < end(2) + of_.high[2]; ++z)
            for (int64_t y = -of_.low[1]; y < end(1) + of_.high[1]; ++y)
                for (int64_t x = -of_.low[0]; x < end(0) + of_.high[0]; ++x) {
                    const At ghost{ 0, gid, 0, { x, y, z }, 0, false };
                    const bool owned = x >= 0 && x < end(0) && y >= 0 && y < end(1) && z >= 0 && z < end(2);
                    if (!owned && any.is_reached(ghost, of_.stencil, 0)) add_ghost(ghost, coarse);
                }
        for (const Place &cell : coarse) add_coarse(gid, cell);
    }
    void add_ghost(const At &ghost, std::set<Place> &coarse) {
        const int32_t level = level_of(ghost.gid);
        const Place place = model_.in_space(ghost.gid, ghost.point, of_.shape.n_cells);
        Place cell = place;
        if (!model_.wrap(level, cell)) return;
        const Model::Is is = model_.what(level, cell);
        if (is == Model::Is::leaf) return add(model_.leaf_with(level, cell), ghost.gid);
        if (is == Model::Is::finer) return add(model_.leaf_with(level + 1, { 2 * cell[0], 2 * cell[1], 2 * cell[2] }), ghost.gid);
        Place centre{};
        for (size_t d = 0; d < static_cast<size_t>(of_.shape.n_dims); ++d) centre[d] = floor_half(place[d]);
        coarse.insert(centre);
        for (size_t d = 0; d < static_cast<size_t>(of_.shape.n_dims) && of_.prolongation == HALO_PROLONG_MINMOD; ++d)
            for (const int64_t step : { -1, 1 }) {
                Place beside = centre;
                beside[d] += step;
                coarse.insert(beside);
            }
    }
    void add_coarse(int64_t gid, const Place &place) {
        const int32_t level = level_of(gid) - 1;
        Place cell = place;
        if (!model_.wrap(level, cell)) return;
        if (model_.what(level, cell) == Model::Is::leaf) return add(model_.leaf_with(level, cell), gid);
        if (!halves_ghosts()) add(model_.leaf_with(level + 1, { 2 * cell[0], 2 * cell[1], 2 * cell[2] }), gid);
    }

    const Case &of_;
    const Model &model_;
    int32_t n_ranks_;
    std::vector<int64_t> counts_; // by rank that has them, rank that needs them
};

std::vector<halo_peer_row> peers_of(const halo_exchange *exchange) {
    int64_t n = 0;
    OK(halo_exchange_peers(exchange, sizeof(halo_peer_row), nullptr, 0, &n));
    std::vector<halo_peer_row> rows(static_cast<size_t>(n));
    if (n > 0) OK(halo_exchange_peers(exchange, sizeof(halo_peer_row), rows.data(), n, &n));
    return rows;
}

int64_t messages_of(halo_exchange *exchange) {
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    OK(halo_exchange_get_stats(exchange, &stats));
    return stats.messages_sent;
}

// One to three fields, of which each has another number of components.
void check_case(const Case &of, const Rank &rank) {
    const Model model(of.shape, of.seed, rank.size);
    const Forest forest(model, rank);
    std::vector<std::unique_ptr<Stored>> fields;
    std::vector<halo_field *> handles;
    int64_t n_components = 0;
    for (int32_t f = 0; f <= static_cast<int32_t>(of.seed % 3); ++f) {
        const std::string name = "u" + std::to_string(f);
        halo_field_desc desc = of.desc();
        desc.name = name.c_str(), desc.n_components = 1 + f;
        n_components += desc.n_components;
        fields.push_back(std::make_unique<Stored>(forest.topology(), of.shape, desc, of.prolongation));
        fields.back()->for_each([&](const At &at) { fields.back()->store(at, 1); });
        handles.push_back(fields.back()->field());
    }
    halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
    how.stencil = of.stencil, how.messages = HALO_MESSAGES_AGGREGATE;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(handles.data(), static_cast<int32_t>(handles.size()), &how, &exchange));

    const Needs needs(of, model, *fields[0], rank.size);
    const std::vector<halo_peer_row> rows = peers_of(exchange);
    const int64_t bytes = n_components * static_cast<int64_t>(sizeof(double));
    size_t n_active = 0;
    for (int32_t other = 0; other < rank.size; ++other) {
        const int64_t sent = needs.count(rank.rank, other) * bytes, received = needs.count(other, rank.rank) * bytes;
        if (other == rank.rank || (sent == 0 && received == 0)) continue;
        if (n_active == rows.size() || rows[n_active].rank != other)
            stop("case %llu: %d is no peer", static_cast<unsigned long long>(of.seed), other);
        const halo_peer_row &row = rows[n_active++];
        if (row.bytes_sent != sent || row.bytes_received != received)
            stop("case %llu: %lld bytes to rank %d and %lld from there, wanted %lld and %lld", static_cast<unsigned long long>(of.seed),
                 static_cast<long long>(row.bytes_sent), other, static_cast<long long>(row.bytes_received), static_cast<long long>(sent),
                 static_cast<long long>(received));
    }
    if (n_active != rows.size()) stop("case %llu: %zu peers, %zu wanted", static_cast<unsigned long long>(of.seed), rows.size(), n_active);
    const int64_t first = messages_of(exchange), second = messages_of(exchange); // the first run says hello besides
    if (second - first != std::ssize(rows))
        stop("case %llu: %lld messages to %zu peers", static_cast<unsigned long long>(of.seed), static_cast<long long>(second - first), rows.size());
    OK(halo_exchange_destroy(&exchange));
}

class LevelsNeeds : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, LevelsNeeds, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

// On a busy machine a rank may wait long enough to ask others what they do: messages that are none of these runs'.
TEST_P(LevelsNeeds, AreWhatTravels) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40)); ++number) {
        Case of(number);
        of.type = HALO_FLOAT64;
        conformance::run(GetParam(), { { "wait.ask_after", "0" } }, [&](Rank &rank) { check_case(of, rank); });
        if (HasFailure()) return;
    }
}

} // namespace
