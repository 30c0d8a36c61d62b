// SPDX-License-Identifier: BSD-3-Clause
// Forests of which each rank knows its own leaves and those near them alone: what they tell is what a forest of all leaves tells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "model.h"
#include "placed.h"
#include "ranks.h"

namespace {

using namespace levels;
using conformance::Rank;
using conformance::stop;

template <class T, class Call>
std::vector<T> all_of(Call &&call) {
    int64_t n = 0;
    OK(call(static_cast<T *>(nullptr), int64_t{ 0 }, &n));
    std::vector<T> list(static_cast<size_t>(n));
    OK(call(list.data(), n, &n));
    return list;
}

std::vector<halo_leaf> adapted(const halo_forest_desc &desc, Random &random) {
    std::vector<int32_t> marks;
    for (int64_t gid = 0; gid < desc.n_leaves; ++gid) marks.push_back(random() % 5 == 0 ? HALO_MARK_REFINE : HALO_MARK_KEEP);
    return all_of<halo_leaf>([&](halo_leaf *leaves, int64_t capacity, int64_t *n) {
        return halo_forest_adapt(&desc, marks.data(), sizeof(halo_leaf), leaves, nullptr, capacity, n);
    });
}

// A list of leaves on ranks, in their order, that is held to a balance, over the trees of a model.
struct List {
    List(const Model &model, int32_t balance, uint64_t seed, int32_t n_ranks) : all(model.desc()) {
        Random random(seed);
        all.balance = balance;
        for (int times = 0; times < 3; ++times) {
            leaves = adapted(all, random);
            all.leaves = leaves.data(), all.n_leaves = static_cast<int64_t>(leaves.size()), all.owner = nullptr;
        }
        std::shuffle(leaves.begin(), leaves.end(), random);
        for (size_t i = 0; i < leaves.size(); ++i) owner.push_back(static_cast<int32_t>(random() % static_cast<uint64_t>(n_ranks)));
        std::ranges::sort(owner);
        all.owner = owner.data();
    }
    halo_forest_desc of_rank(int32_t rank) const {
        halo_forest_desc own = all;
        const auto [first, end] = std::equal_range(owner.begin(), owner.end(), rank);
        own.distributed = 1, own.owner = nullptr;
        own.leaves = leaves.data() + (first - owner.begin()), own.n_leaves = end - first;
        return own;
    }

    halo_forest_desc all;
    std::vector<halo_leaf> leaves;
    std::vector<int32_t> owner;
};

bool same(const halo_neighbour &a, const halo_neighbour &b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void compare_part(int64_t gid, halo_topology *own, halo_topology *all) {
    halo_part part = HALO_PART_INIT, wanted = HALO_PART_INIT;
    OK(halo_topology_part(own, gid, &part));
    OK(halo_topology_part(all, gid, &wanted));
    if (std::memcmp(&part, &wanted, sizeof part) != 0) stop("part %lld is another one", static_cast<long long>(gid));
}

void compare(halo_topology *own, halo_topology *all) {
    const int64_t *gids = nullptr, *wanted_gids = nullptr;
    int64_t n = 0, n_wanted = 0;
    OK(halo_topology_local_parts(own, &gids, &n));
    OK(halo_topology_local_parts(all, &wanted_gids, &n_wanted));
    if (!std::equal(gids, gids + n, wanted_gids, wanted_gids + n_wanted)) stop("other local parts");
    const auto peers_of = [](halo_topology *topology) {
        return all_of<int32_t>([&](auto... list) { return halo_topology_peers(topology, list...); });
    };
    if (peers_of(own) != peers_of(all)) stop("other peers");
    for (int64_t i = 0; i < n; ++i) {
        compare_part(gids[i], own, all);
        const auto neighbours_of = [&](halo_topology *topology) {
            return all_of<halo_neighbour>([&](auto... list) { return halo_topology_neighbours(topology, gids[i], sizeof(halo_neighbour), list...); });
        };
        const auto neighbours = neighbours_of(own), wanted = neighbours_of(all);
        if (!std::ranges::equal(neighbours, wanted, same)) stop("part %lld has other neighbours", static_cast<long long>(gids[i]));
        for (const halo_neighbour &neighbour : neighbours) compare_part(neighbour.gid, own, all);
    }
}

class OwnLeaves : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, OwnLeaves, testing::ValuesIn(conformance::rank_counts()), testing::PrintToStringParamName());

TEST_P(OwnLeaves, HaveTheNeighboursThatAllLeavesHave) {
    for (uint64_t number = 0; number < static_cast<uint64_t>(conformance::number_from("LEVELS_CASES", 40)); ++number)
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            Shape shape;
            shape.n_dims = 1 + static_cast<int32_t>(number % 3), shape.n_cells = 2, shape.deepest = 1;
            shape.n_trees = 1 + static_cast<int32_t>(number / 3 % 2), shape.turned = number / 6 % 2 == 0;
            for (size_t d = 0; d < static_cast<size_t>(shape.n_dims); ++d)
                shape.n_roots[d] = 1 + static_cast<int64_t>(number % 2), shape.periodic[d] = number / 4 % 2 == 0;
            const Model model(shape, number, rank.size);
            const List list(model, static_cast<int32_t>(number / 2 % 3), number, rank.size);
            const halo_forest_desc of_rank = list.of_rank(rank.rank);
            halo_topology *own = nullptr, *all = nullptr;
            OK(halo_topology_create_forest(rank.context, &of_rank, &own));
            OK(halo_topology_create_forest(rank.context, &list.all, &all));
            compare(own, all);
            OK(halo_topology_destroy(&own));
            OK(halo_topology_destroy(&all));
        });
}

// A corner is refined as far as can be, and its last four leaves belong to two ranks.
TEST(OwnLeaves, AreAsDeepAsCanBe) {
    conformance::run(2, {}, [](Rank &rank) {
        constexpr int32_t deepest = 30;
        for (const int32_t balance : { HALO_BALANCE_FULL, HALO_BALANCE_FACES }) {
            const halo_tree tree = { { 1, 1, 1 } };
            halo_forest_desc desc = HALO_FOREST_DESC_INIT;
            desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = 2, desc.trees = &tree, desc.n_trees = 1, desc.balance = balance;
            std::vector<halo_leaf> leaves{ { 0, 0, { 0, 0, 0 } } };
            for (int32_t level = 0; level < deepest; ++level) {
                desc.leaves = leaves.data(), desc.n_leaves = std::ssize(leaves);
                std::vector<int32_t> marks(leaves.size(), HALO_MARK_KEEP);
                marks.front() = HALO_MARK_REFINE;
                std::vector<halo_leaf> finer(leaves.size() + 1000);
                int64_t n = 0;
                OK(halo_forest_adapt(&desc, marks.data(), sizeof(halo_leaf), finer.data(), nullptr, std::ssize(finer), &n));
                finer.resize(static_cast<size_t>(n));
                leaves = std::move(finer);
            }
            if (leaves.front().level != deepest) stop("the corner is of level %d", leaves.front().level);
            const size_t first = rank.size == 1 || rank.rank > 1 ? 0 : rank.rank == 0 ? 0 : 3;
            const size_t end = rank.size == 1 ? leaves.size() : rank.rank == 0 ? 3 : rank.rank == 1 ? leaves.size() : 0;
            desc.leaves = leaves.data() + first, desc.n_leaves = static_cast<int64_t>(end - first), desc.distributed = 1;
            halo_topology *topology = nullptr;
            OK(halo_topology_create_forest(rank.context, &desc, &topology));
            OK(halo_topology_destroy(&topology));
        }
    });
}

// Two roots beside each other, along one direction.
void refuse(const std::function<std::vector<halo_leaf>(int32_t rank)> &leaves_of, const char *text, int32_t rank_that_tells) {
    conformance::run(2, {}, [&](Rank &rank) {
        if (rank.size != 2) return; // processes are as many as there are
        const halo_tree tree = { { 2, 1, 1 } };
        const std::vector<halo_leaf> leaves = leaves_of(rank.rank);
        halo_forest_desc desc = HALO_FOREST_DESC_INIT;
        desc.n_dims = 1, desc.n_cells[0] = 4, desc.trees = &tree, desc.n_trees = 1, desc.distributed = 1;
        desc.leaves = leaves.data(), desc.n_leaves = static_cast<int64_t>(leaves.size());
        halo_topology *topology = nullptr;
        const halo_status status = halo_topology_create_forest(rank.context, &desc, &topology);
        if (status != HALO_ERR_ARGUMENT && status != HALO_ERR_PEER) stop("status %d, not refused: %s", status, text);
        if (rank.rank == rank_that_tells && !std::strstr(halo_last_error(), text)) stop("\"%s\" is not in \"%s\"", text, halo_last_error());
        const halo_leaf root = { 0, 0, { rank.rank, 0, 0 } }; // the next one is made all the same
        desc.leaves = &root, desc.n_leaves = 1;
        OK(halo_topology_create_forest(rank.context, &desc, &topology));
        OK(halo_topology_destroy(&topology));
    });
}

halo_leaf leaf(int32_t level, int64_t x) { return { 0, level, { x, 0, 0 } }; }

TEST(OwnLeavesAreRefused, WhereTheyLieInAnother) {
    const auto inner = [](int32_t rank) { return rank == 0 ? std::vector{ leaf(0, 0), leaf(0, 1) } : std::vector{ leaf(2, 1) }; };
    refuse(inner, "leaf 2 of rank 1, block level 2 (1, 0, 0) of tree 0, lies in leaf 0 of rank 0, block level 0 (0, 0, 0) of tree 0", 1);
    const auto twice = [](int32_t) { return std::vector{ leaf(0, 0), leaf(0, 1) }; };
    refuse(twice, "leaf 2 of rank 1, block level 0 (0, 0, 0) of tree 0, lies in leaf 0 of rank 0", 0);
    refuse(twice, "leaf 2 of rank 1, block level 0 (0, 0, 0) of tree 0, lies in leaf 0 of rank 0", 1);
}

TEST(OwnLeavesAreRefused, WhereTheyLeaveSomethingOut) {
    const auto hole = [](int32_t rank) { return rank == 0 ? std::vector{ leaf(1, 0) } : std::vector{ leaf(0, 1) }; };
    refuse(hole, "no leaf covers block level 1 (1, 0, 0) of tree 0", 0);
    refuse([](int32_t) { return std::vector<halo_leaf>(); }, "they make up 0 of 2 root blocks", 0);
}

TEST(OwnLeavesAreRefused, WhereLevelsDifferByTwo) {
    const auto steep = [](int32_t rank) { return rank == 0 ? std::vector{ leaf(0, 0) } : std::vector{ leaf(2, 4), leaf(2, 5), leaf(1, 3) }; };
    refuse(steep, "leaf 1, block level 2 (4, 0, 0) of tree 0, touches leaf 0, block level 0 (0, 0, 0) of tree 0", 1);
    refuse(steep, "or some are finer than the balance lets them be", 0);
}

TEST(OwnLeavesAreRefused, WhatIsFarAwayIsNotKnown) {
    conformance::run(2, {}, [](Rank &rank) {
        if (rank.size != 2) return;
        const halo_tree tree = { { 8, 1, 1 } };
        std::vector<halo_leaf> leaves;
        for (int64_t x = 0; x < 4; ++x) leaves.push_back(leaf(0, 4 * rank.rank + x));
        halo_forest_desc desc = HALO_FOREST_DESC_INIT;
        desc.n_dims = 1, desc.n_cells[0] = 4, desc.trees = &tree, desc.n_trees = 1, desc.distributed = 1;
        desc.leaves = leaves.data(), desc.n_leaves = 4;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_forest(rank.context, &desc, &topology));
        halo_part part = HALO_PART_INIT;
        OK(halo_topology_part(topology, rank.rank == 0 ? 4 : 3, &part));
        if (halo_topology_part(topology, rank.rank == 0 ? 6 : 1, &part) != HALO_ERR_NOT_FOUND) stop("it is known");
        if (!std::strstr(halo_last_error(), "touches none of this rank's, and is not known here")) stop("\"%s\"", halo_last_error());
        if (halo_topology_part(topology, 8, &part) != HALO_ERR_NOT_FOUND) stop("there is a ninth");
        OK(halo_topology_destroy(&topology));
    });
}

TEST(OwnLeavesAreRefused, BesideAListOfAll) {
    conformance::run(2, {}, [](Rank &rank) {
        if (rank.size != 2) return;
        const halo_tree tree = { { 2, 1, 1 } };
        const std::vector<halo_leaf> leaves{ leaf(0, 0), leaf(0, 1) };
        halo_forest_desc desc = HALO_FOREST_DESC_INIT;
        desc.n_dims = 1, desc.n_cells[0] = 4, desc.trees = &tree, desc.n_trees = 1, desc.distributed = rank.rank;
        desc.leaves = leaves.data(), desc.n_leaves = 2;
        halo_topology *topology = nullptr;
        if (halo_topology_create_forest(rank.context, &desc, &topology) != HALO_ERR_MISMATCH) stop("it was not refused");
        if (!std::strstr(halo_last_error(), "distributed: no on rank 0, yes on rank 1")) stop("\"%s\"", halo_last_error());
    });
}

TEST(OwnLeavesAreRefused, WithOwnersOrAnotherFlag) {
    conformance::run(1, {}, [](Rank &rank) {
        const halo_tree tree = { { 1, 1, 1 } };
        const halo_leaf root = leaf(0, 0);
        const int32_t owner = 0;
        halo_forest_desc desc = HALO_FOREST_DESC_INIT;
        desc.n_dims = 1, desc.n_cells[0] = 4, desc.trees = &tree, desc.n_trees = 1, desc.distributed = 1;
        desc.leaves = &root, desc.n_leaves = 1, desc.owner = &owner;
        const auto refused = [&](const char *text) {
            halo_topology *topology = nullptr;
            if (halo_topology_create_forest(rank.context, &desc, &topology) != HALO_ERR_ARGUMENT || !std::strstr(halo_last_error(), text))
                stop("\"%s\" is not in \"%s\"", text, halo_last_error());
        };
        refused("distributed leaves belong to the rank that gives them: owner must be NULL");
        desc.owner = nullptr, desc.distributed = 2;
        refused("distributed is 2, it must be 0 or 1");
    });
}

} // namespace
