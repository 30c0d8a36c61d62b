// SPDX-License-Identifier: BSD-3-Clause
// What lies across the elements of blocks, against trees that lie in space; which blocks lists are refused for; balance and adaption against all
// pairs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "expect_failure.h"
#include "forest_world.h"
#include "topology/forest/adapt.h"
#include "topology/forest/around.h"
#include "topology/forest/balance.h"

namespace halo {

using namespace forest_test;

namespace {

constexpr int32_t balances[] = { HALO_BALANCE_FULL, HALO_BALANCE_EDGES, HALO_BALANCE_FACES };

std::string text_of(const AxisMap &map) {
    return format("axes %d %d %d, signs %d %d %d", map.axis[0], map.axis[1], map.axis[2], map.sign[0], map.sign[1], map.sign[2]);
}

Leaves balanced_leaves(const World &world, int32_t deepest, double share, int32_t balance, std::mt19937 &random) {
    const Leaves any(world.make_trees(), random_leaves(world, deepest, share, random));
    std::vector<TreeBlock> blocks;
    for (const AdaptedLeaf &leaf : adapt(any, {}, balance)) blocks.push_back(leaf.block);
    return { any.trees(), std::move(blocks) };
}

// By looking at all leaves.
void expect_in_place(const Leaves &leaves, const Across &across) {
    int64_t within = -1, inside = 0;
    for (int64_t gid = 0; gid < leaves.size(); ++gid) {
        if (lies_in(across.block, leaves[gid])) within = gid;
        if (lies_in(leaves[gid], across.block) && leaves[gid] != across.block) ++inside;
    }
    EXPECT_EQ(across.gid, within);
    const Across::Is is = within < 0 ? Across::Is::finer : leaves[within].level == across.block.level ? Across::Is::leaf : Across::Is::coarser;
    EXPECT_EQ(across.is, is);
    EXPECT_EQ(across.is == Across::Is::finer, inside > 0);
}

// What is looked up once and kept is what a look-up finds, and elements are told by what lies across them.
void expect_kept(const Leaves &leaves) {
    std::vector<int64_t> gids(static_cast<size_t>(leaves.size()));
    std::iota(gids.begin(), gids.end(), 0);
    Around around;
    around.find(leaves, gids);
    for (int64_t gid = 0; gid < leaves.size(); ++gid) {
        const auto place = static_cast<size_t>(gid);
        std::array<uint32_t, 4> elements{};
        for_each_element(leaves.trees().n_dims(), [&](int32_t element, const ElementOffset &) {
            SCOPED_TRACE("leaf " + halo::text_of(leaves[gid]) + ", element " + element_name(element));
            const Across found = leaves.across(leaves[gid], element), kept = around.across(leaves, place, leaves[gid], element);
            elements[static_cast<size_t>(found.is)] |= uint32_t{ 1 } << element;
            EXPECT_EQ(kept.is, found.is);
            EXPECT_EQ(kept.gid, found.gid);
            if (found.is == Across::Is::nothing) return;
            EXPECT_EQ(kept.block, found.block);
            EXPECT_EQ(kept.map, found.map);
        });
        for (const Across::Is is : { Across::Is::nothing, Across::Is::leaf, Across::Is::coarser, Across::Is::finer })
            EXPECT_EQ(around.elements(place, is), elements[static_cast<size_t>(is)]);
        const Across own = around.across(leaves, place, leaves[gid], 13);
        EXPECT_EQ(own.is, Across::Is::leaf);
        EXPECT_EQ(own.gid, gid);
        EXPECT_EQ(own.block, leaves[gid]);
        EXPECT_TRUE(own.map.is_identity());
    }
}

void expect_as_in_space(const World &world, const Leaves &leaves) {
    expect_kept(leaves);
    for (int64_t gid = 0; gid < leaves.size(); ++gid)
        for_each_element(world.n_dims, [&](int32_t element, const ElementOffset &) {
            SCOPED_TRACE("leaf " + halo::text_of(leaves[gid]) + ", element " + element_name(element));
            const Across across = leaves.across(leaves[gid], element);
            const std::optional<Placed> there = world.across(leaves[gid], element);
            ASSERT_EQ(across.is != Across::Is::nothing, there.has_value());
            if (!there) return;
            EXPECT_EQ(across.block, there->block) << halo::text_of(across.block) << " for " << halo::text_of(there->block);
            EXPECT_EQ(across.map, there->map) << text_of(across.map) << " for " << text_of(there->map);
            expect_in_place(leaves, across);
        });
}

void expect_symmetric(const Leaves &leaves) {
    for (int64_t gid = 0; gid < leaves.size(); ++gid)
        for_each_element(leaves.trees().n_dims(), [&](int32_t element, const ElementOffset &) {
            const Across there = leaves.across(leaves[gid], element);
            if (there.is == Across::Is::nothing) return;
            const Across back = leaves.across(there.block, element_across(element, there.map));
            EXPECT_EQ(back.is, Across::Is::leaf);
            EXPECT_EQ(back.gid, gid);
            EXPECT_EQ(back.map, there.map.inverse());
        });
}

std::vector<AxisMap> upright() { return { AxisMap{} }; }

TEST(Across, BricksOfTreesInAnyNumberOfDirections) {
    std::mt19937 random(1);
    for (int32_t n_dims = 1; n_dims <= 3; ++n_dims)
        for (int32_t periodic = 0; periodic < 1 << n_dims; ++periodic) {
            const Extent n_trees{ 2, n_dims > 1 ? 3 : 1, n_dims > 2 ? 2 : 1 };
            World world = World::brick(n_dims, n_trees, { 3, n_dims > 1 ? 1 : 1, n_dims > 2 ? 2 : 1 }, upright(), random);
            for (int d = 0; d < n_dims; ++d)
                if ((periodic >> d & 1) != 0) world.period[d] = world.height[d];
            const Leaves leaves = balanced_leaves(world, 2, 0.2, HALO_BALANCE_FULL, random);
            expect_as_in_space(world, leaves);
            expect_symmetric(leaves);
        }
}

TEST(Across, OneRootThatIsItsOwnNeighbour) {
    std::mt19937 random(2);
    World world = World::brick(3, { 1, 1, 1 }, { 1, 1, 1 }, upright(), random);
    world.period = { 1, 1, 1 };
    for (const double share : { 0.0, 1.0 }) {
        const Leaves leaves = balanced_leaves(world, 1, share, HALO_BALANCE_FULL, random);
        expect_as_in_space(world, leaves);
        expect_symmetric(leaves);
    }
}

TEST(Across, TwoTreesTurnedInEveryWay) {
    std::mt19937 random(3);
    for (int32_t n_dims = 2; n_dims <= 3; ++n_dims)
        for (const AxisMap &first : all_maps(n_dims))
            for (const AxisMap &second : { AxisMap{}, all_maps(n_dims)[random() % all_maps(n_dims).size()] }) {
                World world = World::brick(n_dims, { 2, 1, 1 }, { 2, 1, n_dims > 2 ? 3 : 1 }, upright(), random);
                const Extent roots{ 2, 1, n_dims > 2 ? 3 : 1 };
                for (size_t tree = 0; tree < 2; ++tree) {
                    world.trees[tree].to_space = tree == 0 ? first : second;
                    for (int d = 0; d < 3; ++d) world.trees[tree].n_roots[d] = roots[world.trees[tree].to_space.axis[d]];
                }
                if (random() % 2 == 0) world.period[0] = world.height[0];
                const Leaves leaves = balanced_leaves(world, 2, 0.15, HALO_BALANCE_FULL, random);
                expect_as_in_space(world, leaves);
                expect_symmetric(leaves);
            }
}

TEST(Across, BricksOfTreesTurnedAtRandom) {
    std::mt19937 random(4);
    for (int turn = 0; turn < 30; ++turn) {
        const int32_t n_dims = 2 + turn % 2;
        const Extent n_trees{ 1 + static_cast<int64_t>(random() % 3), 2, n_dims > 2 ? 2 : 1 };
        World world = World::brick(n_dims, n_trees, { 1, 2, n_dims > 2 ? 1 : 1 }, all_maps(n_dims), random);
        for (int d = 0; d < n_dims; ++d)
            if (random() % 2 == 0) world.period[d] = world.height[d];
        const Leaves leaves = balanced_leaves(world, 2, 0.15, balances[turn % 3], random);
        expect_as_in_space(world, leaves);
        expect_symmetric(leaves);
    }
}

TEST(Across, MoebiusStrips) {
    std::mt19937 random(5);
    for (int turn = 0; turn < 12; ++turn) {
        const int32_t n_dims = 2 + turn % 2;
        World world = World::brick(n_dims, { 1 + turn % 3, 2, 1 }, { 2, 2, n_dims > 2 ? 2 : 1 }, turn < 4 ? upright() : all_maps(n_dims), random);
        world.period[0] = world.height[0];
        world.turned_over[1] = true;
        world.turned_over[2] = n_dims > 2 && turn % 4 == 1;
        const Leaves leaves = balanced_leaves(world, 2, 0.2, HALO_BALANCE_FULL, random);
        expect_as_in_space(world, leaves);
        expect_symmetric(leaves);
    }
}

// Quadrilaterals around a vertex, the y high side of each joined to the x high side of the next; extruded along z in three dimensions.
Trees around(int32_t n_dims, int32_t n, bool closed) {
    Trees trees(n_dims, std::vector<Extent>(static_cast<size_t>(n), Extent{ 2, 2, 1 }));
    for (int32_t tree = 0; tree + (closed ? 0 : 1) < n; ++tree) {
        halo_tree_join join = HALO_TREE_JOIN_INIT;
        join.tree = tree;
        join.side = 3;
        join.to_tree = (tree + 1) % n;
        join.axis[0] = 1, join.axis[1] = 0;
        join.sign[0] = 1, join.sign[1] = -1;
        trees.join(join, tree, { 2, 2, 2 });
    }
    trees.find_passages();
    return trees;
}

std::vector<TreeBlock> roots_of(const Trees &trees) { return uniform_leaves(trees, 0); }

TEST(Across, NothingLiesAcrossTheVertexOfThreeOrFiveTrees) {
    for (int32_t n_dims = 2; n_dims <= 3; ++n_dims)
        for (int32_t n = 3; n <= 6; ++n) {
            const Trees trees = around(n_dims, n, true);
            const Leaves leaves(trees, roots_of(trees));
            expect_symmetric(leaves);
            for (int32_t tree = 0; tree < n; ++tree) {
                const TreeBlock inner{ tree, 0, { 1, 1, 0 } };
                const Across vertex = leaves.across(inner, HALO_ELEMENT(1, 1, 0));
                EXPECT_EQ(vertex.is, n == 4 ? Across::Is::leaf : Across::Is::nothing);
                if (n == 4) {
                    EXPECT_EQ(vertex.block.tree, (tree + 2) % 4);
                }
                EXPECT_EQ(leaves.across(inner, HALO_ELEMENT(1, 0, 0)).is, Across::Is::leaf);
                EXPECT_EQ(leaves.across({ tree, 0, { 1, 0, 0 } }, HALO_ELEMENT(1, 1, 0)).is, Across::Is::leaf);
            }
        }
}

// Of an open fan of four the second and the fourth have two ways, or one, to what lies across: only what is found back counts.
TEST(Across, OpenFansAreSeenAlikeFromBothEnds) {
    for (int32_t n = 2; n <= 6; ++n) {
        const Trees trees = around(2, n, false);
        expect_symmetric(Leaves(trees, roots_of(trees)));
    }
}

TEST(Lists, WhatOverlapsOrIsMissingIsNamed) {
    std::mt19937 random(6);
    const Trees trees = World::brick(2, { 2, 1, 1 }, { 1, 1, 1 }, upright(), random).make_trees();
    const TreeBlock first{ 0, 0, {} }, second{ 1, 0, {} };
    std::vector<TreeBlock> parts;
    for (int32_t number = 0; number < 4; ++number) parts.push_back(child(second, number));
    const std::vector<TreeBlock> whole{ first, parts[0], parts[1], parts[2], parts[3] };
    EXPECT_EQ(Leaves(trees, whole).size(), 5);
    const auto refused = [&](std::vector<TreeBlock> blocks, std::initializer_list<const char *> parts_of_text) {
        expect_failure(HALO_ERR_ARGUMENT, parts_of_text, [&] { Leaves(trees, std::move(blocks)); });
    };
    auto other = whole;
    other.push_back(second);
    refused(other, { "leaf 1, block level 1 (0, 0, 0) of tree 1", "leaf 5, block level 0 (0, 0, 0) of tree 1" });
    other = whole;
    other.push_back(child(child(second, 2), 1));
    refused(other, { "leaf 5, block level 2 (1, 2, 0) of tree 1", "lies in leaf 3, block level 1 (0, 1, 0) of tree 1" });
    other = whole;
    other.push_back(parts[3]);
    refused(other, { "lies in leaf", "level 1 (1, 1, 0) of tree 1" });
    refused({ parts[0], parts[1], parts[2], parts[3] }, { "no leaf covers block level 0 (0, 0, 0) of tree 0" });
    refused({ first, parts[0], parts[1], parts[3] }, { "no leaf covers block level 1 (0, 1, 0) of tree 1" });
    refused({ first, parts[0], parts[1], parts[2] }, { "no leaf covers block level 1 (1, 1, 0) of tree 1" });
    refused({}, { "no leaf covers block level 0 (0, 0, 0) of tree 0" });
    refused({ first, parts[0], parts[1], parts[2], child(parts[3], 0), child(parts[3], 1), child(parts[3], 3) },
            { "no leaf covers block level 2 (2, 3, 0) of tree 1" });
}

TEST(Lists, TheCurveIsTheMortonOrder) {
    std::mt19937 random(7);
    const Trees trees = World::brick(3, { 1, 1, 1 }, { 3, 2, 1 }, upright(), random).make_trees();
    const std::vector<TreeBlock> level = uniform_leaves(trees, 2);
    EXPECT_EQ(std::ssize(level), 3 * 2 * 64);
    EXPECT_EQ(std::ssize(level), count_uniform(trees, 2));
    EXPECT_TRUE(std::is_sorted(level.begin(), level.end(), comes_before));
    for (int32_t number = 0; number < 8; ++number) EXPECT_EQ(level[static_cast<size_t>(number)], child({ 0, 1, {} }, number));
}

World random_world(std::mt19937 &random) {
    const int32_t n_dims = 1 + static_cast<int32_t>(random() % 3);
    const Extent n_trees{ 1 + static_cast<int64_t>(random() % 2), n_dims > 1 ? 1 + static_cast<int64_t>(random() % 2) : 1, 1 };
    World world = World::brick(n_dims, n_trees, { 1, n_dims > 1 ? 2 : 1, 1 }, all_maps(n_dims), random);
    for (int d = 0; d < n_dims; ++d)
        if (random() % 2 == 0) world.period[d] = world.height[d];
    return world;
}

TEST(Balance, IsThatOfAllPairsThatTouch) {
    std::mt19937 random(8);
    int broken = 0, kept = 0;
    for (int turn = 0; turn < 200; ++turn) {
        const World world = random_world(random);
        const int32_t balance = balances[turn % 3];
        const std::vector<TreeBlock> blocks = random_leaves(world, 3, world.n_dims == 3 ? 0.12 : 0.4, random);
        const Leaves leaves(world.make_trees(), blocks);
        const Imbalance found = find_imbalance(leaves, balance);
        EXPECT_EQ(found.finer < 0, is_balanced(world, blocks, balance)) << "turn " << turn;
        if (found.finer < 0) {
            ++kept;
            continue;
        }
        ++broken;
        EXPECT_GE(leaves[found.finer].level, leaves[found.coarser].level + 2);
        const int directions = world.touching(leaves[found.finer], leaves[found.coarser]);
        EXPECT_TRUE(directions > 0 && directions <= most_directions(balance)) << directions;
        EXPECT_EQ(leaves.across(leaves[found.finer], found.element).gid, found.coarser);
    }
    EXPECT_GT(broken, 20);
    EXPECT_GT(kept, 20);
}

// The least list that is balanced and at least as fine as this one everywhere.
std::vector<int32_t> least_levels(const World &world, const std::vector<TreeBlock> &leaves, std::vector<int32_t> levels, int32_t balance) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t a = 0; a < leaves.size(); ++a)
            for (size_t b = 0; b < leaves.size(); ++b) {
                if (levels[a] < levels[b] + 2) continue;
                const int directions = world.touching(leaves[a], leaves[b]);
                if (directions == 0 || directions > most_directions(balance)) continue;
                levels[b] = levels[a] - 1;
                changed = true;
            }
    }
    return levels;
}

void expect_origins(const Leaves &old, const std::vector<AdaptedLeaf> &list) {
    for (const AdaptedLeaf &leaf : list) {
        const TreeBlock &from = old[leaf.from];
        if (leaf.block.level >= from.level) {
            EXPECT_TRUE(lies_in(leaf.block, from));
        } else {
            EXPECT_EQ(from, child(leaf.block, 0));
        }
    }
}

TEST(Adapt, RefinesWhatIsMarkedAndWhatBalanceNeedsAndNoMore) {
    std::mt19937 random(9);
    for (int turn = 0; turn < 150; ++turn) {
        const World world = random_world(random);
        const int32_t balance = balances[turn % 3];
        const Leaves old = balanced_leaves(world, 3, world.n_dims == 3 ? 0.1 : 0.3, balance, random);
        std::vector<TreeBlock> blocks;
        std::vector<int32_t> marks, levels;
        for (int64_t gid = 0; gid < old.size(); ++gid) {
            blocks.push_back(old[gid]);
            marks.push_back(random() % 12 == 0 ? HALO_MARK_REFINE : HALO_MARK_KEEP);
            levels.push_back(old[gid].level + marks.back());
        }
        levels = least_levels(world, blocks, levels, balance);
        const std::vector<AdaptedLeaf> list = adapt(old, marks, balance);
        expect_origins(old, list);
        size_t n = 0;
        for (size_t gid = 0; gid < blocks.size(); ++gid) n += levels[gid] > blocks[gid].level ? size_t{ 1 } << world.n_dims : 1;
        ASSERT_EQ(list.size(), n) << "turn " << turn;
        for (const AdaptedLeaf &leaf : list) EXPECT_EQ(leaf.block.level, levels[static_cast<size_t>(leaf.from)]);
        EXPECT_TRUE(
            std::is_sorted(list.begin(), list.end(), [](const AdaptedLeaf &a, const AdaptedLeaf &b) { return comes_before(a.block, b.block); }));
    }
}

TEST(Adapt, CoarsensWhereAllAgreeAndBalanceAllows) {
    std::mt19937 random(10);
    int coarsened = 0, hindered = 0;
    for (int turn = 0; turn < 200; ++turn) {
        const World world = random_world(random);
        const int32_t balance = balances[turn % 3];
        const Leaves old = balanced_leaves(world, 3, world.n_dims == 3 ? 0.12 : 0.5, balance, random);
        std::vector<int32_t> marks;
        for (int64_t gid = 0; gid < old.size(); ++gid) marks.push_back(static_cast<int32_t>(random() % 8 == 0 ? 1 : random() % 16 == 0 ? 0 : -1));
        const std::vector<AdaptedLeaf> list = adapt(old, marks, balance);
        expect_origins(old, list);
        std::vector<TreeBlock> blocks;
        for (const AdaptedLeaf &leaf : list) blocks.push_back(leaf.block);
        const Leaves next(old.trees(), blocks); // no holes, no overlaps
        EXPECT_TRUE(is_balanced(world, blocks, balance)) << "turn " << turn;
        std::set<std::array<int64_t, 5>> parents;
        for (const AdaptedLeaf &leaf : list) {
            if (leaf.block.level < old[leaf.from].level) {
                ++coarsened;
                for (int32_t number = 0; number < 1 << world.n_dims; ++number)
                    EXPECT_EQ(marks[static_cast<size_t>(old.find(child(leaf.block, number)))], HALO_MARK_COARSEN);
            }
            if (leaf.block.level == old[leaf.from].level && leaf.block.level > 0 && child_number(leaf.block) == 0) {
                const TreeBlock parent = ancestor(leaf.block, leaf.block.level - 1);
                bool all = true;
                for (int32_t number = 0; number < 1 << world.n_dims; ++number) {
                    const int64_t part = next.find(child(parent, number));
                    all = all && part >= 0 && old.find(child(parent, number)) == list[static_cast<size_t>(part)].from &&
                          marks[static_cast<size_t>(list[static_cast<size_t>(part)].from)] == HALO_MARK_COARSEN;
                }
                if (!all) continue;
                ++hindered;
                std::vector<TreeBlock> without;
                for (const TreeBlock &block : blocks)
                    if (!lies_in(block, parent)) without.push_back(block);
                without.push_back(parent);
                EXPECT_FALSE(is_balanced(world, without, balance)) << "turn " << turn << ": " << halo::text_of(parent) << " could be coarsened";
            }
        }
    }
    EXPECT_GT(coarsened, 100);
    EXPECT_GT(hindered, 10);
}

TEST(Adapt, BalancesListsThatAreNot) {
    std::mt19937 random(11);
    for (int turn = 0; turn < 100; ++turn) {
        const World world = random_world(random);
        const int32_t balance = balances[turn % 3];
        const std::vector<TreeBlock> blocks = random_leaves(world, 4, world.n_dims == 3 ? 0.1 : 0.4, random);
        const Leaves any(world.make_trees(), blocks);
        const std::vector<AdaptedLeaf> list = adapt(any, {}, balance);
        expect_origins(any, list);
        std::vector<TreeBlock> made;
        for (const AdaptedLeaf &leaf : list) made.push_back(leaf.block);
        const Leaves balanced(any.trees(), made);
        EXPECT_TRUE(is_balanced(world, made, balance)) << "turn " << turn;
        // No family of what is new could be left out.
        for (const TreeBlock &leaf : made) {
            if (leaf.level == 0 || child_number(leaf) != 0) continue;
            const TreeBlock parent = ancestor(leaf, leaf.level - 1);
            bool all = any.find(leaf) < 0;
            for (int32_t number = 0; number < 1 << world.n_dims; ++number) all = all && balanced.find(child(parent, number)) >= 0;
            for (int32_t number = 0; number < 1 << world.n_dims; ++number) all = all && any.find(child(parent, number)) < 0;
            if (!all) continue;
            std::vector<TreeBlock> without;
            for (const TreeBlock &block : made)
                if (!lies_in(block, parent)) without.push_back(block);
            without.push_back(parent);
            EXPECT_FALSE(is_balanced(world, without, balance)) << "turn " << turn << ": " << halo::text_of(parent);
        }
    }
}

TEST(Adapt, NothingIsRefinedBelowTheDeepestLevel) {
    std::vector<TreeBlock> blocks;
    TreeBlock block{ 0, 0, {} };
    for (; block.level < deepest_level; block = child(block, 0)) blocks.push_back(child(block, 1));
    blocks.push_back(block);
    Trees trees(1, { Extent{ 1, 1, 1 } });
    trees.find_passages();
    const Leaves leaves(trees, blocks);
    std::vector<int32_t> marks(blocks.size());
    marks.back() = HALO_MARK_REFINE;
    expect_failure(HALO_ERR_LIMIT, { "leaf 30, block level 30 (0, 0, 0) of tree 0, cannot be refined" },
                   [&] { adapt(leaves, marks, HALO_BALANCE_FULL); });
}

TEST(Place, RunsNearTheMeanAndNoneEmpty) {
    std::mt19937 random(12);
    std::uniform_real_distribution<double> weight(0, 1);
    for (int turn = 0; turn < 500; ++turn) {
        const auto n = static_cast<size_t>(1 + random() % 60);
        const auto n_ranks = static_cast<int32_t>(1 + random() % 20);
        std::vector<double> weights(n);
        for (double &one : weights) one = turn % 3 == 0 ? 1.0 : weight(random);
        const std::vector<int32_t> owners = place_by_weight(weights, n_ranks);
        ASSERT_EQ(owners.size(), n);
        EXPECT_EQ(owners.front(), 0);
        EXPECT_TRUE(std::is_sorted(owners.begin(), owners.end()));
        std::vector<double> share(static_cast<size_t>(n_ranks));
        double sum = 0, most = 0;
        for (size_t i = 0; i < n; ++i) {
            EXPECT_LE(owners[i], i == 0 ? 0 : owners[i - 1] + 1);
            share[static_cast<size_t>(owners[i])] += weights[i];
            sum += weights[i];
            most = std::max(most, weights[i]);
        }
        EXPECT_EQ(owners.back(), std::min<int32_t>(n_ranks, static_cast<int32_t>(n)) - 1);
        for (const double one : share) EXPECT_LE(one, sum / n_ranks + most * 2);
    }
    EXPECT_EQ(place_by_weight({ 0, 0, 0, 0 }, 2), (std::vector<int32_t>{ 0, 0, 1, 1 }));
    EXPECT_EQ(place_by_weight({ 9, 1, 1, 1 }, 2), (std::vector<int32_t>{ 0, 1, 1, 1 }));
    EXPECT_EQ(place_by_weight({ 1, 1, 1, 9 }, 2), (std::vector<int32_t>{ 0, 0, 0, 1 }));
    EXPECT_EQ(place_by_weight(std::vector<double>(8, 1e308), 4), place_by_weight(std::vector<double>(8, 1), 4));
    EXPECT_EQ(place_by_weight(std::vector<double>(8, 5e-324), 4), place_by_weight(std::vector<double>(8, 1), 4));
}

} // namespace

} // namespace halo
