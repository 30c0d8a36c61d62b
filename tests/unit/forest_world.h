// SPDX-License-Identifier: BSD-3-Clause
// Trees that lie in space, turned in any way, and what one finds there by looking: nothing here follows a join.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "topology/forest/leaves.h"

namespace halo::forest_test {

std::vector<AxisMap> all_maps(int32_t n_dims); // every permutation of axes with all signs

// Where a tree lies, in root blocks of space.
struct PlacedTree {
    Extent origin{};
    Extent n_roots{ 1, 1, 1 }; // along its own directions
    AxisMap to_space;
};

struct Placed { // a block in space, and how the space's axes lie in its tree
    TreeBlock block;
    AxisMap map; // from the asking block's index space to its
};

struct World {
    int32_t n_dims = 3;
    std::vector<PlacedTree> trees;
    Extent period{};                   // in root blocks of space; 0: open
    std::array<bool, 3> turned_over{}; // going once around x, this direction is upside down: a moebius strip
    Extent height{};                   // of space, in root blocks, where it is

    // A row of columns of layers of trees of `roots` root blocks each; every tree is turned by one of `maps`.
    static World brick(int32_t n_dims, const Extent &n_trees, const Extent &roots, const std::vector<AxisMap> &maps, std::mt19937 &random);

    std::vector<halo_tree> tree_list() const;
    std::vector<halo_tree_join> joins() const;
    Trees make_trees(const Extent &n_cells = { 2, 2, 2 }) const;

    // The block across an element, by looking where it lies.
    std::optional<Placed> across(const TreeBlock &block, int32_t element) const;
    // Position in space of the lowest corner of a block, in blocks of its level.
    Extent position(const TreeBlock &block) const;
    // The same of any lattice of `per_root` boxes per root: blocks of a level, cells of blocks.
    Extent position(int32_t tree, const Extent &at, const Extent &per_root) const;
    struct Found {
        int32_t tree;
        Extent at;
        bool turned; // came around a moebius strip
    };
    std::optional<Found> find(Extent position, const Extent &per_root) const;
    AxisMap map_between(int32_t from, int32_t to, bool turned) const;
    // Do two leaves touch, and if so, in how many directions by their borders alone? 0: no. Periodic images count; the least number is told.
    int touching(const TreeBlock &a, const TreeBlock &b) const;

private:
    Extent per_root(int32_t level) const;
};

// Leaves of all roots, refined at random; balanced only by chance.
std::vector<TreeBlock> random_leaves(const World &world, int32_t deepest, double share, std::mt19937 &random);
// No two leaves that touch in at most so many directions differ by more than one level.
bool is_balanced(const World &world, const std::vector<TreeBlock> &leaves, int32_t balance);
int most_directions(int32_t balance);

} // namespace halo::forest_test
