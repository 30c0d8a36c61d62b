// SPDX-License-Identifier: BSD-3-Clause
// A forest of trees that lie side by side in one space, each with its index space turned as it likes. Blocks and cells have coordinates in that space
// on each level; what a cell, a ghost, a face must hold is computed there, by the definitions of halo_levels.h.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include "halo_levels.h"

namespace levels {

using Random = std::mt19937_64;
using Place = std::array<int64_t, 3>;

struct Shape {
    int32_t n_dims = 3;
    int64_t n_cells = 4;      // of a block, per direction
    int32_t n_trees = 1;      // along x
    Place n_roots{ 1, 1, 1 }; // of a tree, in space
    std::array<bool, 3> periodic{};
    bool turned = false;   // trees have index spaces of their own
    int32_t rotation = -1; // of all trees but the first, as all_rotations counts; -1: as `turned` says
    int32_t deepest = 2;
    bool distributed = false; // each rank tells of its own leaves alone: gids are rank by rank
};

// Where the directions of an index space run: along which of another's, upwards there or downwards.
struct Rotation {
    std::array<int32_t, 3> axis{ 0, 1, 2 };
    std::array<int32_t, 3> sign{ 1, 1, 1 };
    bool operator==(const Rotation &) const = default;
};
// All that there are, 2, 8 or 48; the first turns nothing.
std::vector<Rotation> all_rotations(int32_t n_dims);

// The coarser of two levels: places there, and slopes.
inline int64_t floor_half(int64_t n) { return n >> 1; }
double minmod(double below, double above);

struct Block {
    int32_t level = 0;
    Place at{}; // in blocks of its level, in space
    auto operator<=>(const Block &) const = default;
};

class Model {
public:
    Model(const Shape &shape, uint64_t seed, int32_t n_ranks);
    // Other leaves on the same trees.
    Model(const Model &of, std::vector<halo_leaf> leaves, uint64_t seed, int32_t n_ranks, bool distributed = false);
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    const Shape &shape() const { return shape_; }
    // Of all leaves.
    const halo_forest_desc &desc() const { return desc_; }
    // What a rank tells.
    halo_forest_desc desc_of(int32_t rank) const;
    const std::vector<Block> &blocks() const { return blocks_; } // by gid
    int32_t owner(int64_t gid) const { return owner_[static_cast<size_t>(gid)]; }
    bool has_levels() const;

    // A point of a part, counted in its index space (of cells `n_cells` wide per block), as one of that level in space. Its centring is the part's;
    // between cells it is the same one however index spaces are turned, where cells have their numbers from the other end.
    Place in_space(int64_t gid, const Place &point, int64_t n_cells, int32_t centring = HALO_CENTRE_CELL) const;
    // The other way round; the centring is space's.
    Place in_part(int64_t gid, const Place &point, int32_t centring) const;
    // A part's directions, as a sum of bits, are these of space; and the other way round.
    int32_t centring_in_space(int64_t gid, int32_t centring) const;
    int32_t centring_in_part(int64_t gid, int32_t centring) const;
    // Whether the part's direction along an axis of space runs upwards (1) or downwards (-1).
    int32_t sign_along(int64_t gid, int32_t axis) const;
    // How a part's index space lies in that of another one.
    Rotation rotation(int64_t gid, int64_t other) const;

    // What a cell of a block holds.
    double owned(int32_t level, const Place &cell, int32_t component) const;
    // What is filled in outside the domain.
    double outside(int32_t level, const Place &cell, int32_t component, int32_t centring = HALO_CENTRE_CELL) const;
    // What a ghost must hold of a block of this level. None: it lies outside the domain.
    std::optional<double> ghost(int32_t level, const Place &cell, int32_t component, int32_t prolongation) const;

    // What a ghost must hold, or what is filled in there outside the domain.
    double around(int32_t level, const Place &cell, int32_t component, int32_t prolongation) const;
    // What a cell of any level gets of these blocks, where one of them, its parts or what it is a part of lie there.
    double moved(int32_t level, const Place &cell, int32_t component, int32_t prolongation) const;

    // Faces below a cell in direction d, in space, and what goes through them upwards. Null: the cell beyond is in no finer block, or outside.
    double face(int32_t level, const Place &cell, int d, int32_t component) const;
    std::optional<double> corrected_face(int32_t level, const Place &cell, int d, int32_t component) const;

    // Points that several blocks have: what a block's own copy of one holds, whose place is counted in the block. The centring is the block's.
    double copy(int64_t gid, const Place &point, int32_t component, int32_t centring) const;

    enum class Is { leaf, coarser, finer };
    // Into the domain where that is periodic; false: it lies outside.
    bool wrap(int32_t level, Place &cell) const;
    Is what(int32_t level, const Place &wrapped_cell) const;
    // The leaf of this level that has the cell.
    int64_t leaf_with(int32_t level, const Place &wrapped_cell) const { return gids_.at(block_with(level, wrapped_cell)); }
    // Of leaves of one level: along the Morton curve, tree by tree.
    bool comes_before(int64_t gid, int64_t other) const;

private:
    Place extent(int32_t level) const; // of the domain in cells
    Block block_with(int32_t level, const Place &wrapped_cell) const;
    double mean(int32_t level, const Place &wrapped_cell, int32_t component) const;
    double coarse(int32_t level, const Place &cell, int32_t component) const;
    double hash(uint64_t kind, int32_t level, const Place &cell, int32_t component) const;
    void refine(uint64_t seed);
    void describe(uint64_t seed, int32_t n_ranks);
    void place(uint64_t seed, int32_t n_ranks);
    void order_by_rank();

    using Tree = Rotation; // in space
    const Tree &tree_of(int64_t gid) const { return trees_[static_cast<size_t>(leaves_[static_cast<size_t>(gid)].tree)]; }
    Place tree_extent(const Tree &tree, int32_t level, int64_t n_cells) const;
    int32_t direction_along(const Tree &tree, int32_t axis) const;
    void add_join(int32_t tree, int32_t to, int32_t axis);

    Shape shape_;
    std::map<Block, bool> is_leaf_; // all blocks that are leaves, or have been refined
    std::vector<Block> blocks_;
    std::map<Block, int64_t> gids_; // of the leaves
    std::vector<Tree> trees_;
    std::vector<int32_t> owner_;
    std::vector<halo_tree> tree_rows_;
    std::vector<halo_tree_join> joins_;
    std::vector<halo_leaf> leaves_;
    halo_forest_desc desc_ = HALO_FOREST_DESC_INIT;
};

} // namespace levels
