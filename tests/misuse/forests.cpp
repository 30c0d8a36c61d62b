// SPDX-License-Identifier: BSD-3-Clause
// Wrong descriptions of forests, marks and weights: status and text of each; rows of other versions; lists too long for their array.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "halo_levels.h"

namespace {

// Two squares, joined along x; the second is refined.
struct Forest {
    std::vector<halo_tree> trees{ HALO_TREE_INIT, HALO_TREE_INIT };
    std::vector<halo_tree_join> joins;
    std::vector<halo_leaf> leaves;
    std::vector<int32_t> owners;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;

    Forest() {
        halo_tree_join join = HALO_TREE_JOIN_INIT;
        join.side = 1, join.to_tree = 1;
        joins.push_back(join);
        leaves.push_back({ 0, 0, { 0, 0, 0 } });
        for (int64_t part = 0; part < 4; ++part) leaves.push_back({ 1, 1, { part % 2, part / 2, 0 } });
        desc.n_dims = 2;
        desc.n_cells[0] = desc.n_cells[1] = 4;
    }
    const halo_forest_desc *made() {
        desc.trees = trees.data(), desc.n_trees = static_cast<int32_t>(trees.size());
        desc.joins = joins.data(), desc.n_joins = static_cast<int32_t>(joins.size());
        desc.leaves = leaves.data(), desc.n_leaves = static_cast<int64_t>(leaves.size());
        if (!owners.empty()) desc.owner = owners.data();
        return &desc;
    }
};

struct Misuse {
    const char *name;
    halo_status status;
    std::vector<const char *> parts;
    std::function<void(Forest &)> change;
};

std::vector<Misuse> cases() { // NOLINT(readability-function-size): a table
    return {
        { "four_dimensions", HALO_ERR_ARGUMENT, { "forest: n_dims is 4" }, [](Forest &f) { f.desc.n_dims = 4; } },
        { "odd_cells", HALO_ERR_ARGUMENT, { "5 cells along direction 1", "even" }, [](Forest &f) { f.desc.n_cells[1] = 5; } },
        { "no_cells", HALO_ERR_ARGUMENT, { "0 cells along direction 0", "even" }, [](Forest &f) { f.desc.n_cells[0] = 0; } },
        { "too_many_cells", HALO_ERR_LIMIT, { "n_cells 2147483648 exceeds" }, [](Forest &f) { f.desc.n_cells[0] = int64_t{ 1 } << 31; } },
        { "cells_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "n_cells of direction 2 is 2", "n_dims 2" },
          [](Forest &f) { f.desc.n_cells[2] = 2; } },
        { "balance_that_is_none", HALO_ERR_ARGUMENT, { "balance 3" }, [](Forest &f) { f.desc.balance = 3; } },
        { "tree_without_roots", HALO_ERR_ARGUMENT, { "tree 1 has 0 roots along direction 0" }, [](Forest &f) { f.trees[1].n_roots[0] = 0; } },
        { "roots_along_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "tree 0 has 3 roots along direction 2; it must be 1" },
          [](Forest &f) { f.trees[0].n_roots[2] = 3; } },
        { "too_many_roots",
          HALO_ERR_LIMIT,
          { "tree 1: the number of its roots" },
          [](Forest &f) { f.trees[1].n_roots[0] = f.trees[1].n_roots[1] = 1 << 16; } },
        { "joined_tree_that_is_not", HALO_ERR_ARGUMENT, { "join 0", "trees 0 and 2", "0 to 1" }, [](Forest &f) { f.joins[0].to_tree = 2; } },
        { "joined_side_that_is_not", HALO_ERR_ARGUMENT, { "join 0", "no side 4" }, [](Forest &f) { f.joins[0].side = 4; } },
        { "join_with_a_sign_of_two", HALO_ERR_ARGUMENT, { "join 0", "direction 1", "sign 2" }, [](Forest &f) { f.joins[0].sign[1] = 2; } },
        { "join_along_no_permutation", HALO_ERR_ARGUMENT, { "join 0", "axis 1, 1, 2" }, [](Forest &f) { f.joins[0].axis[0] = 1; } },
        { "join_that_turns_a_direction_that_is_not_used",
          HALO_ERR_ARGUMENT,
          { "join 0", "direction 2 is not used" },
          [](Forest &f) { f.joins[0].sign[2] = -1; } },
        { "join_of_unequal_sides",
          HALO_ERR_ARGUMENT,
          { "join 0", "tree 0 has 2 roots along direction 1, tree 1 has 1 along direction 1" },
          [](Forest &f) { f.trees[0].n_roots[1] = 2; } },
        { "join_of_unequal_cells",
          HALO_ERR_ARGUMENT,
          { "join 0 turns direction 0, of 6 cells, into direction 1, of 4" },
          [](Forest &f) {
              f.desc.n_cells[0] = 6;
              std::swap(f.joins[0].axis[0], f.joins[0].axis[1]);
          } },
        { "side_joined_to_itself",
          HALO_ERR_ARGUMENT,
          { "join 0", "side x high of tree 0 is joined to itself" },
          [](Forest &f) { f.joins[0].to_tree = 0, f.joins[0].sign[0] = -1; } },
        { "side_joined_twice",
          HALO_ERR_ARGUMENT,
          { "join 1", "side x high of tree 0 is joined already" },
          [](Forest &f) {
              f.joins.push_back(f.joins[0]);
              f.joins[1].sign[0] = -1;
          } },
        { "side_joined_from_its_other_end",
          HALO_ERR_ARGUMENT,
          { "join 1", "is joined already" },
          [](Forest &f) {
              f.joins.push_back(f.joins[0]);
              f.joins[1].tree = 1, f.joins[1].side = 0, f.joins[1].to_tree = 0;
          } },
        { "leaf_of_a_tree_that_is_not", HALO_ERR_ARGUMENT, { "leaf 2 is of tree 2", "2 trees" }, [](Forest &f) { f.leaves[2].tree = 2; } },
        { "leaf_of_a_level_that_is_not", HALO_ERR_ARGUMENT, { "leaf 0 is of level 31", "0 to 30" }, [](Forest &f) { f.leaves[0].level = 31; } },
        { "leaf_below_level_zero", HALO_ERR_ARGUMENT, { "leaf 0 is of level -1" }, [](Forest &f) { f.leaves[0].level = -1; } },
        { "leaf_outside_its_tree",
          HALO_ERR_ARGUMENT,
          { "leaf 4, block level 1 (1, 2, 0) of tree 1: along direction 1 the tree has 2 blocks" },
          [](Forest &f) { f.leaves[4].at[1] = 2; } },
        { "leaf_along_a_direction_that_is_not_used", HALO_ERR_ARGUMENT, { "leaf 3", "direction 2" }, [](Forest &f) { f.leaves[3].at[2] = 1; } },
        { "leaf_of_a_tree_with_too_many_cells",
          HALO_ERR_LIMIT,
          { "leaf 0, block level 30 (0, 0, 0) of tree 0: along direction 0 the cells of its tree exceed" },
          [](Forest &f) { f.leaves[0].level = 30, f.desc.n_cells[0] = 2048; } },
        { "leaf_within_another",
          HALO_ERR_ARGUMENT,
          { "leaf 3, block level 1 (0, 0, 0) of tree 1, lies in leaf 5, block level 0 (0, 0, 0) of tree 1" },
          [](Forest &f) {
              f.leaves.push_back({ 1, 0, { 0, 0, 0 } });
              std::swap(f.leaves[1], f.leaves[3]);
          } },
        { "hole", HALO_ERR_ARGUMENT, { "no leaf covers block level 1 (1, 1, 0) of tree 1" }, [](Forest &f) { f.leaves.pop_back(); } },
        { "tree_without_leaves",
          HALO_ERR_ARGUMENT,
          { "no leaf covers block level 0 (0, 0, 0) of tree 2" },
          [](Forest &f) { f.trees.push_back(f.trees[0]); } },
        { "no_leaves", HALO_ERR_ARGUMENT, { "no leaf covers block level 0 (0, 0, 0) of tree 0" }, [](Forest &f) { f.leaves.clear(); } },
    };
}

class MisusedForests : public testing::TestWithParam<Misuse> {};

// Topologies, adapted lists and placed ones read the same description.
TEST_P(MisusedForests, AreRefusedAndNamed) {
    const Misuse &misuse = GetParam();
    Forest forest;
    misuse.change(forest);
    halo_context *context = nullptr;
    ASSERT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS);
    halo_topology *topology = nullptr;
    int64_t n = -1;
    const std::function<halo_status()> calls[] = {
        [&] { return halo_topology_create_forest(context, forest.made(), &topology); },
        [&] { return halo_forest_adapt(forest.made(), nullptr, sizeof(halo_leaf), nullptr, nullptr, 0, &n); },
        [&] { return halo_forest_place(forest.made(), nullptr, 1, nullptr, 0, &n); },
    };
    for (const auto &call : calls) {
        EXPECT_EQ(call(), misuse.status) << halo_last_error();
        for (const char *part : misuse.parts)
            EXPECT_NE(std::string(halo_last_error()).find(part), std::string::npos) << "no '" << part << "' in: " << halo_last_error();
    }
    EXPECT_EQ(n, -1);
    Forest right;
    EXPECT_EQ(halo_topology_create_forest(context, right.made(), &topology), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(halo_topology_destroy(&topology), HALO_SUCCESS);
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(Cases, MisusedForests, testing::ValuesIn(cases()), [](const auto &one) { return std::string(one.param.name); });

void expect_refused(halo_status status, halo_status wanted, const char *part) {
    EXPECT_EQ(status, wanted);
    EXPECT_NE(std::string(halo_last_error()).find(part), std::string::npos) << "no '" << part << "' in: " << halo_last_error();
}

TEST(ForestLists, OwnersAndBalanceAreCheckedByTheTopologyAlone) {
    halo_context *context = nullptr;
    ASSERT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS);
    halo_topology *topology = nullptr;
    Forest forest;
    forest.owners = { 0, 0, 1, 0, 0 };
    expect_refused(halo_topology_create_forest(context, forest.made(), &topology), HALO_ERR_ARGUMENT,
                   "owner of leaf 2 is rank 1; the context has ranks 0 to 0");
    Forest steep; // the upper left part of the refined square is refined once more
    steep.leaves.erase(steep.leaves.begin() + 3);
    for (int64_t part = 0; part < 4; ++part) steep.leaves.push_back({ 1, 2, { part % 2, 2 + part / 2, 0 } });
    expect_refused(halo_topology_create_forest(context, steep.made(), &topology), HALO_ERR_ARGUMENT,
                   "leaf 4, block level 2 (0, 2, 0) of tree 1, touches leaf 0, block level 0 (0, 0, 0) of tree 0, across its x-");
    int64_t n = 0;
    EXPECT_EQ(halo_forest_adapt(steep.made(), nullptr, sizeof(halo_leaf), nullptr, nullptr, 0, &n), HALO_SUCCESS) << halo_last_error();
    EXPECT_EQ(n, 4 + 3 + 4);
    EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS) << halo_last_error();
}

TEST(ForestLists, MarksWeightsAndRanks) {
    Forest forest;
    int64_t n = -1;
    const int32_t marks[] = { 0, 0, -2, 0, 0 };
    expect_refused(halo_forest_adapt(forest.made(), marks, sizeof(halo_leaf), nullptr, nullptr, 0, &n), HALO_ERR_ARGUMENT,
                   "the mark of leaf 2 is -2");
    for (const double weight : { -1.0, std::nan(""), std::numeric_limits<double>::infinity() }) {
        const double weights[] = { 1, 1, 1, weight, 1 };
        expect_refused(halo_forest_place(forest.made(), weights, 2, nullptr, 0, &n), HALO_ERR_ARGUMENT, "the weight of leaf 3");
    }
    expect_refused(halo_forest_place(forest.made(), nullptr, 0, nullptr, 0, &n), HALO_ERR_ARGUMENT, "0 ranks");
    expect_refused(halo_forest_uniform(forest.made(), 31, sizeof(halo_leaf), nullptr, 0, &n), HALO_ERR_ARGUMENT, "level 31");
    expect_refused(halo_forest_uniform(forest.made(), -1, sizeof(halo_leaf), nullptr, 0, &n), HALO_ERR_ARGUMENT, "level -1");
    expect_refused(halo_forest_uniform(forest.made(), 16, sizeof(halo_leaf), nullptr, 0, &n), HALO_ERR_LIMIT, "number of leaves");
    expect_refused(halo_forest_uniform(nullptr, 0, sizeof(halo_leaf), nullptr, 0, &n), HALO_ERR_ARGUMENT, "desc");
    expect_refused(halo_forest_uniform(forest.made(), 1, sizeof(halo_leaf), nullptr, 0, nullptr), HALO_ERR_ARGUMENT, "'n'");
    EXPECT_EQ(n, -1);
    halo_leaf leaves[8];
    expect_refused(halo_forest_uniform(forest.made(), 1, sizeof(halo_leaf), leaves, 7, &n), HALO_ERR_LIMIT, "room for 7, there are 8");
    EXPECT_EQ(n, 8);
}

TEST(ForestLists, NullListsAreNamed) {
    Forest forest;
    const halo_forest_desc whole = *forest.made();
    int64_t n = 0;
    const auto refused = [&](const std::function<void(halo_forest_desc &)> &change, const char *part) {
        halo_forest_desc desc = whole;
        change(desc);
        expect_refused(halo_forest_adapt(&desc, nullptr, sizeof(halo_leaf), nullptr, nullptr, 0, &n), HALO_ERR_ARGUMENT, part);
    };
    refused([](auto &desc) { desc.trees = nullptr; }, "2 trees at address");
    refused([](auto &desc) { desc.joins = nullptr; }, "1 joins at address");
    refused([](auto &desc) { desc.leaves = nullptr; }, "5 leaves at address");
    refused([](auto &desc) { desc.n_leaves = -1; }, "-1 leaves");
    refused([](auto &desc) { desc.n_joins = -1; }, "-1 joins");
    refused([](auto &desc) { desc.n_trees = -1; }, "-1 trees");
}

template <class Row>
struct Longer {
    Row row;
    int64_t tail;
};

// Rows that are longer than this library's: their tail must be zero; rows that are written get a zero one.
TEST(ForestLists, RowsOfOtherVersions) {
    Forest forest;
    const halo_forest_desc whole = *forest.made();
    std::vector<Longer<halo_leaf>> leaves;
    for (const halo_leaf &leaf : forest.leaves) leaves.push_back({ leaf, 0 });
    std::vector<Longer<halo_tree>> trees;
    for (const halo_tree &tree : forest.trees) trees.push_back({ tree, 0 });
    std::vector<Longer<halo_tree_join>> joins;
    for (const halo_tree_join &join : forest.joins) joins.push_back({ join, 0 });
    halo_forest_desc newer = whole;
    newer.leaves = &leaves[0].row, newer.leaf_bytes = sizeof leaves[0];
    newer.trees = &trees[0].row, newer.tree_bytes = sizeof trees[0];
    newer.joins = &joins[0].row, newer.join_bytes = sizeof joins[0];
    std::vector<Longer<halo_leaf>> written(8);
    std::memset(written.data(), 0x5a, written.size() * sizeof written[0]);
    int64_t n = 0;
    ASSERT_EQ(halo_forest_adapt(&newer, nullptr, sizeof written[0], &written[0].row, nullptr, 8, &n), HALO_SUCCESS) << halo_last_error();
    ASSERT_EQ(n, 5);
    for (size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(std::memcmp(&written[i].row, &forest.leaves[i], sizeof(halo_leaf)), 0);
        EXPECT_EQ(written[i].tail, 0);
    }
    EXPECT_NE(written[5].tail, 0);
    const auto refused = [&](halo_status status, const char *part) {
        expect_refused(halo_forest_adapt(&newer, nullptr, sizeof(halo_leaf), nullptr, nullptr, 0, &n), status, part);
    };
    leaves[3].tail = 1;
    refused(HALO_ERR_VERSION, "halo_leaf 3 has 40 bytes, of which this library knows 32");
    joins[0].tail = 1;
    refused(HALO_ERR_VERSION, "halo_tree_join 0 has 48 bytes, of which this library knows 40");
    trees[1].tail = 1;
    refused(HALO_ERR_VERSION, "halo_tree 1 has 32 bytes, of which this library knows 24");
    newer = whole;
    newer.leaf_bytes = 31;
    refused(HALO_ERR_VERSION, "halo_leaf 0 has 31 bytes, the smallest known is 32");
    newer = whole;
    newer.tree_bytes = 0;
    refused(HALO_ERR_VERSION, "halo_tree 0 has 0 bytes, the smallest known is 24");
    newer = whole;
    newer.join_bytes = 4097;
    refused(HALO_ERR_LIMIT, "halo_tree_join: its size 4097 exceeds 4096");
    expect_refused(halo_forest_adapt(&whole, nullptr, 31, nullptr, nullptr, 0, &n), HALO_ERR_VERSION, "halo_leaf: row_bytes is 31");
    expect_refused(halo_forest_uniform(&whole, 1, 4097, &written[0].row, 8, &n), HALO_ERR_LIMIT, "halo_leaf: row_bytes 4097 exceeds 4096");
}

} // namespace
