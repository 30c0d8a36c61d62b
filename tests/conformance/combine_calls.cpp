// SPDX-License-Identifier: BSD-3-Clause
// HALO_USER: how often the caller's function is called, and with how many values: with whole lists, not point by point.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ranks.h"

namespace conformance {

namespace {

using Lengths = std::vector<int64_t>;

halo_status add(void *lengths, void *values, const void *contributions, int64_t n, halo_type, int64_t) {
    static_cast<Lengths *>(lengths)->push_back(n);
    for (int64_t i = 0; i < n; ++i) static_cast<int64_t *>(values)[i] += static_cast<const int64_t *>(contributions)[i];
    return HALO_SUCCESS;
}

// Of the first rank and of the last; where these are one, of both after each other.
void expect(const Rank &rank, const Lengths &found, const Lengths &first, const Lengths &last) {
    Lengths wanted = rank.rank == 0 ? first : Lengths{};
    if (rank.rank == rank.size - 1) wanted.insert(wanted.end(), last.begin(), last.end());
    if (found == wanted) return;
    std::string text;
    for (const int64_t length : found) text += std::to_string(length) + ", ";
    ADD_FAILURE() << "rank " << rank.rank << " of " << rank.size << ": calls with " << text;
}

// Two boxes of 32 by 24 cells, the second beside the first along a direction, on the first and the last rank.
halo_topology *make_two(const Rank &rank, int along) {
    halo_box boxes[2] = { { { 0, 0, 0 }, { 32, 24, 1 } }, { { 0, 0, 0 }, { 32, 24, 1 } } };
    boxes[1].low[along] = boxes[0].high[along], boxes[1].high[along] = 2 * boxes[0].high[along];
    const int32_t owner[] = { 0, rank.size - 1 };
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 2, desc.domain = { { 0, 0, 0 }, { 64, 48, 1 } };
    desc.boxes = boxes, desc.n_boxes = 2, desc.owner = owner;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_boxes(rank.context, &desc, &topology));
    return topology;
}

halo_field *make_field(halo_topology *topology, int32_t centring, int32_t ghosts, int32_t n_components) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.type = HALO_INT64, desc.centring = centring, desc.n_components = n_components;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    halo_field *field = nullptr;
    OK(halo_field_create(topology, &desc, &field));
    OK(halo_field_allocate(field, -1));
    return field;
}

Lengths calls_of_a_run(halo_field *field, int32_t kind, int32_t shared) {
    Lengths lengths;
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind, desc.shared = shared, desc.op = HALO_USER, desc.combine = add, desc.combine_user = &lengths;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&field, 1, &desc, &exchange));
    OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    OK(halo_exchange_destroy(&exchange));
    return lengths;
}

class CombineCalls : public testing::TestWithParam<int32_t> {};

// Two layers of ghosts and two components: rows that lie side by side are given as they are, ghosts that lie in short rows brought together.
TEST_P(CombineCalls, GhostsOfABox) {
    run(GetParam(), {}, [](Rank &rank) {
        for (int along = 0; along < 2; ++along) {
            halo_topology *two = make_two(rank, along);
            halo_field *field = make_field(two, HALO_CENTRE_CELL, 2, 2);
            const Lengths each = along == 0 ? Lengths{ 2 * 24, 2 * 24 } : Lengths{ 32, 32, 32, 32 };
            expect(rank, calls_of_a_run(field, HALO_KIND_REVERSE, HALO_SHARED_KEEP), each, each);
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&two));
        }
    });
}

TEST_P(CombineCalls, SharedNodesOfABox) {
    run(GetParam(), {}, [](Rank &rank) {
        for (int along = 0; along < 2; ++along) {
            halo_topology *two = make_two(rank, along);
            halo_field *field = make_field(two, HALO_CENTRE_NODE, 0, 2);
            const Lengths each = along == 0 ? Lengths{ 25, 25 } : Lengths{ 33, 33 };
            expect(rank, calls_of_a_run(field, HALO_KIND_SHARED_REDUCE, HALO_SHARED_ONLY), each, each);
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&two));
        }
    });
}

// The last rank has a copy of each point of the first, in an order of its own, and then in the first's.
TEST_P(CombineCalls, ListsOfPoints) {
    run(GetParam(), {}, [](Rank &rank) {
        constexpr int64_t n = 1000;
        for (const uint32_t step : { 7, 1 }) {
            const bool first = rank.rank == 0, last = rank.rank == rank.size - 1;
            const std::vector<int32_t> roots_rank(n, 0);
            std::vector<uint32_t> roots;
            for (uint32_t i = 0; i < n; ++i) roots.push_back(i * step % n);
            halo_star_desc desc = HALO_STAR_DESC_INIT;
            desc.sharers = 1;
            desc.n_points = (first ? n : 0) + (last ? n : 0), desc.n_leaves = last ? n : 0;
            desc.ranks = roots_rank.data(), desc.indices = roots.data();
            halo_topology *star = nullptr;
            OK(halo_topology_create_star(rank.context, &desc, &star));
            halo_field *field = make_field(star, HALO_CENTRE_CELL, 0, 2);
            const Lengths whole(2, n), both(2, 2 * n);
            expect(rank, calls_of_a_run(field, HALO_KIND_REVERSE, HALO_SHARED_KEEP), whole, {});
            const Lengths sums = calls_of_a_run(field, HALO_KIND_SHARED_REDUCE, HALO_SHARED_KEEP);
            if (rank.size == 1) // roots and leaves are in one list
                expect(rank, sums, both, {});
            else
                expect(rank, sums, whole, whole);
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&star));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, CombineCalls, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
