// SPDX-License-Identifier: BSD-3-Clause
// Topologies from stars and from ready lists: random ones against a plain gather, and what is refused.
#include <gtest/gtest.h>

#include <set>

#include "storage.h"

namespace {

using namespace keys;
using conformance::Rank;

struct Leaf {
    uint32_t point;
    int32_t rank;
    uint32_t index;
};

// All ranks' leaves, as all ranks know them. The first points of a rank may be roots, the others leaves.
struct Forest {
    std::vector<uint32_t> n_roots, n_points;
    std::vector<std::vector<Leaf>> leaves;
};

Forest random_forest(Random &random, int32_t n_ranks) {
    Forest forest;
    int64_t roots = 0;
    for (int32_t r = 0; r < n_ranks; ++r) {
        forest.n_roots.push_back(static_cast<uint32_t>(pick(random, 0, 3) == 0 ? 0 : pick(random, 1, 30)));
        roots += forest.n_roots.back();
    }
    for (int32_t r = 0; r < n_ranks; ++r) {
        const int64_t n_leaves = roots == 0 ? 0 : pick(random, 0, 40);
        forest.n_points.push_back(forest.n_roots[static_cast<size_t>(r)] + static_cast<uint32_t>(n_leaves));
        std::vector<Leaf> &leaves = forest.leaves.emplace_back();
        while (static_cast<int64_t>(leaves.size()) < n_leaves) {
            const auto from = static_cast<int32_t>(pick(random, 0, n_ranks - 1));
            const uint32_t there = forest.n_roots[static_cast<size_t>(from)];
            if (there == 0) continue;
            const auto point = static_cast<uint32_t>(forest.n_roots[static_cast<size_t>(r)] + leaves.size());
            leaves.push_back({ point, from, static_cast<uint32_t>(pick(random, 0, there - 1)) });
        }
        if (pick(random, 0, 1) == 0) std::shuffle(leaves.begin(), leaves.end(), random);
    }
    return forest;
}

halo_topology *make_star(Rank &rank, const Forest &forest, bool sharers) {
    std::vector<uint32_t> points, indices;
    std::vector<int32_t> ranks;
    for (const Leaf &leaf : forest.leaves[static_cast<size_t>(rank.rank)]) {
        points.push_back(leaf.point);
        ranks.push_back(leaf.rank);
        indices.push_back(leaf.index);
    }
    halo_star_desc desc = HALO_STAR_DESC_INIT;
    desc.n_points = forest.n_points[static_cast<size_t>(rank.rank)];
    desc.n_leaves = static_cast<int64_t>(points.size());
    desc.leaves = points.data();
    desc.ranks = ranks.data();
    desc.indices = indices.data();
    desc.sharers = sharers ? 1 : 0;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_star(rank.context, &desc, &topology));
    return topology;
}

// The same graph as lists for each peer.
halo_topology *make_lists(Rank &rank, const Forest &forest, bool sharers) {
    std::vector<int32_t> peers;
    std::vector<int64_t> send_offsets{ 0 }, receive_offsets{ 0 };
    std::vector<uint32_t> send, receive;
    for (int32_t peer = rank.size - 1; peer >= 0; --peer) {
        for (const Leaf &leaf : forest.leaves[static_cast<size_t>(peer)])
            if (leaf.rank == rank.rank) send.push_back(leaf.index);
        for (const Leaf &leaf : forest.leaves[static_cast<size_t>(rank.rank)])
            if (leaf.rank == peer) receive.push_back(leaf.point);
        const auto n_send = static_cast<int64_t>(send.size()), n_receive = static_cast<int64_t>(receive.size());
        if (n_send == send_offsets.back() && n_receive == receive_offsets.back()) continue;
        peers.push_back(peer);
        send_offsets.push_back(n_send);
        receive_offsets.push_back(n_receive);
    }
    halo_lists_desc desc = HALO_LISTS_DESC_INIT;
    desc.n_peers = static_cast<int32_t>(peers.size());
    desc.n_points = forest.n_points[static_cast<size_t>(rank.rank)];
    desc.peers = peers.data();
    desc.send_offsets = send_offsets.data();
    desc.send = send.data();
    desc.receive_offsets = receive_offsets.data();
    desc.receive = receive.data();
    desc.sharers = sharers ? 1 : 0;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_lists(rank.context, &desc, &topology));
    return topology;
}

template <class T>
halo_status add(void *calls, void *values, const void *contributions, int64_t n, halo_type, int64_t) {
    for (int64_t i = 0; i < n; ++i)
        static_cast<T *>(values)[i] = combined(static_cast<T *>(values)[i], static_cast<const T *>(contributions)[i], HALO_SUM);
    ++*static_cast<int64_t *>(calls);
    return HALO_SUCCESS;
}

template <class T>
void check_forest(Rank &rank, const Forest &forest, halo_topology *topology, uint64_t seed, int32_t kind, halo_op op) {
    Random random(seed);
    const auto me = static_cast<size_t>(rank.rank);
    Storage<T> storage(topology, "u", static_cast<int32_t>(pick(random, 1, 4)), forest.n_points[me], static_cast<int>(pick(random, 0, 2)), rank.rank);
    Values<T> wanted = storage.values();
    for (uint32_t i = 0; i < forest.n_points[me]; ++i)
        for (int32_t c = 0; c < storage.n_components(); ++c) storage.at(wanted, i, c) = storage.at(i, c) = value_of<T>(seed, rank.rank, i, c);
    for (int32_t c = 0; c < storage.n_components(); ++c) {
        std::map<std::pair<int32_t, uint32_t>, T> roots; // (rank, index), as the exchange leaves them
        for (int32_t r = 0; r < rank.size; ++r)
            for (const Leaf &leaf : forest.leaves[static_cast<size_t>(r)]) {
                T &root = roots.try_emplace({ leaf.rank, leaf.index }, value_of<T>(seed, leaf.rank, leaf.index, c)).first->second;
                if (kind != HALO_KIND_GHOSTS) root = combined(root, value_of<T>(seed, r, leaf.point, c), op);
            }
        if (kind != HALO_KIND_REVERSE)
            for (const Leaf &leaf : forest.leaves[me]) storage.at(wanted, leaf.point, c) = roots.at({ leaf.rank, leaf.index });
        for (const auto &[root, value] : roots)
            if (root.first == rank.rank) storage.at(wanted, root.second, c) = value;
    }
    halo_field *field = storage.field();
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    desc.op = op;
    desc.source_stable = static_cast<int32_t>(seed % 2);
    int64_t calls = 0;
    desc.combine = add<T>, desc.combine_user = &calls;
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(&field, 1, &desc, &exchange));
    const Values<T> before = storage.values();
    const bool by_hand = kind != HALO_KIND_GHOSTS && op == HALO_SUM && !conformance::storage_is_on_device();
    for (int run = 0; run < 3; ++run) { // ranks get to know each other's storage in the first
        std::copy(before.begin(), before.end(), storage.values().begin());
        storage.upload();
        OK(halo_context_barrier(rank.context));
        halo_run how = HALO_RUN_INIT; // the last run by the function, which is given points of a root's rank that come several times
        if (by_hand && run == 2) how.op = HALO_USER;
        OK(halo_exchange_start(exchange, &how, conformance::stream()));
        OK(halo_exchange_finish(exchange, conformance::finish_stream()));
    }
    OK(halo_exchange_destroy(&exchange));
    storage.download();
    if (storage.values() != wanted) conformance::stop("seed %llu: wrong values", static_cast<unsigned long long>(seed));
}

void check_sharers(Rank &rank, const Forest &forest, halo_topology *topology) {
    std::map<std::pair<int32_t, uint32_t>, std::set<int32_t>> ranks;
    for (int32_t r = 0; r < rank.size; ++r)
        for (const Leaf &leaf : forest.leaves[static_cast<size_t>(r)]) ranks[{ leaf.rank, leaf.index }].insert({ leaf.rank, r });
    const auto check = [&](uint32_t point, int32_t root_rank, uint32_t root) {
        std::vector<int32_t> found(static_cast<size_t>(rank.size));
        int64_t n = 0;
        OK(halo_topology_sharers(topology, point, found.data(), rank.size, &n));
        found.resize(static_cast<size_t>(n));
        const std::set<int32_t> &wanted = ranks.at({ root_rank, root });
        if (!std::equal(found.begin(), found.end(), wanted.begin(), wanted.end())) conformance::stop("wrong sharers of point %u", point);
    };
    for (const Leaf &leaf : forest.leaves[static_cast<size_t>(rank.rank)]) check(leaf.point, leaf.rank, leaf.index);
    for (const auto &[root, some] : ranks)
        if (root.first == rank.rank) check(root.second, rank.rank, root.second);
}

class Stars : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Stars, testing::ValuesIn(conformance::rank_counts()));

TEST_P(Stars, AsAPlainGather) {
    const int64_t n_cases = conformance::number_from("KEYS_CASES", 50);
    conformance::run(GetParam(), {}, [&](Rank &rank) {
        for (uint64_t seed = 1; seed <= static_cast<uint64_t>(n_cases); ++seed) {
            Random random(seed);
            conformance::begin_case(seed);
            const Forest forest = random_forest(random, rank.size);
            for (const bool lists : { false, true }) {
                const bool sharers = pick(random, 0, 1) == 0;
                halo_topology *topology = lists ? make_lists(rank, forest, sharers) : make_star(rank, forest, sharers);
                for (const int32_t kind : { HALO_KIND_GHOSTS, HALO_KIND_REVERSE, HALO_KIND_SHARED_REDUCE }) {
                    if (kind == HALO_KIND_SHARED_REDUCE && !sharers) continue;
                    check_forest<double>(rank, forest, topology, seed, kind, any_op<double>(random));
                    check_forest<int64_t>(rank, forest, topology, seed + 1, kind, any_op<int64_t>(random));
                }
                if (sharers) check_sharers(rank, forest, topology);
                OK(halo_topology_destroy(&topology));
            }
        }
    });
}

TEST_P(Stars, Refused) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        const auto refused = [&](halo_status status, const halo_star_desc &desc, const char *text) {
            halo_topology *topology = nullptr;
            const halo_status got = halo_topology_create_star(rank.context, &desc, &topology);
            if (got != status && got != HALO_ERR_PEER) conformance::stop("status %d: %s", got, halo_last_error());
            if (got == status && !std::strstr(halo_last_error(), text)) conformance::stop("'%s' is not in: %s", text, halo_last_error());
        };
        const uint32_t leaves[2] = { 2, 2 }, outside[1] = { 3 };
        const int32_t root_rank[2] = { 0, 0 }, no_rank[1] = { rank.size };
        const uint32_t roots[2] = { 0, 1 }, no_root[2] = { 7, 7 }, leaf_as_root[2] = { 2, 2 };
        halo_star_desc good = HALO_STAR_DESC_INIT;
        good.n_points = 3;
        good.n_leaves = 1;
        good.ranks = root_rank;
        good.indices = roots;
        halo_star_desc bad = good;
        bad.leaves = leaves;
        bad.n_leaves = 2;
        refused(HALO_ERR_ARGUMENT, bad, "twice");
        bad = good;
        bad.leaves = outside;
        refused(HALO_ERR_BOUNDS, bad, "point 3");
        bad = good;
        bad.ranks = no_rank;
        refused(HALO_ERR_ARGUMENT, bad, "there are ranks");
        bad = good;
        bad.indices = no_root;
        refused(HALO_ERR_BOUNDS, bad, "point 7");
        bad = good;
        bad.indices = leaf_as_root;
        refused(HALO_ERR_ARGUMENT, bad, "received itself");
    });
}

// Who else has a point is not known, so a reduction in one round is refused by name.
TEST_P(Stars, NoSharedReduce) {
    conformance::run(GetParam(), {}, [](Rank &rank) {
        halo_star_desc desc = HALO_STAR_DESC_INIT;
        desc.n_points = 2;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_star(rank.context, &desc, &topology));
        halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
        halo_field *field = nullptr;
        OK(halo_field_create(topology, &field_desc, &field));
        halo_exchange_desc exchange_desc = HALO_EXCHANGE_DESC_INIT;
        exchange_desc.kind = HALO_KIND_SHARED_REDUCE;
        halo_exchange *exchange = nullptr;
        if (halo_exchange_create(&field, 1, &exchange_desc, &exchange) != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), "made from keys"))
            conformance::stop("not refused: %s", halo_last_error());
        OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology));
    });
}

} // namespace
