// SPDX-License-Identifier: BSD-3-Clause
// Trees: boxes of root blocks, some of whose sides are the same. What lies behind the sides, edges and corners of a tree is found once, when it is
// made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "halo_levels.h"
#include "topology/edge.h"

namespace halo {

constexpr int32_t deepest_level = 30;

// A block, whether it is a leaf, lies within one, or has been refined. `at`: in blocks of its level.
struct TreeBlock {
    int32_t tree = 0;
    int32_t level = 0;
    Extent at{};
    bool operator==(const TreeBlock &) const = default;
};

// "level 2 (3, 0, 1) of tree 0"
std::string text_of(const TreeBlock &block);
// "in tree 0 at level 2 (13, 0, 5)": a point of a block of `n_cells` cells, in its tree's cells of that level. Ghosts may lie beyond the tree.
std::string name_in_tree(const TreeBlock &block, const Extent &n_cells, const Extent &point);

// The block of a lower level in which it lies.
inline TreeBlock ancestor(const TreeBlock &block, int32_t level) {
    const int32_t up = block.level - level;
    return { block.tree, level, { block.at[0] >> up, block.at[1] >> up, block.at[2] >> up } };
}
inline bool lies_in(const TreeBlock &inner, const TreeBlock &outer) { return inner.level >= outer.level && ancestor(inner, outer.level) == outer; }

// One of the parts of a block; x lowest in the number. Directions that are not used have no upper half.
inline TreeBlock child(const TreeBlock &block, int32_t number) {
    TreeBlock part{ block.tree, block.level + 1, {} };
    for (int d = 0; d < 3; ++d) part.at[d] = 2 * block.at[d] + (number >> d & 1);
    return part;
}
inline int32_t child_number(const TreeBlock &block) {
    return static_cast<int32_t>((block.at[0] & 1) | (block.at[1] & 1) << 1 | (block.at[2] & 1) << 2);
}

// The order of the Morton curve through all trees; a block comes before those that lie in it.
bool comes_before(const TreeBlock &a, const TreeBlock &b);

class Trees {
public:
    // n_roots[d] is 1 beyond n_dims.
    Trees(int32_t n_dims, std::vector<Extent> n_roots) : n_dims_(n_dims), n_roots_(std::move(n_roots)), joined_(n_roots_.size() * 6) {}
    // Joins are added one by one; number `place` is for texts. HALO_ERR_ARGUMENT: it does not fit.
    void join(const halo_tree_join &join, int64_t place, const Extent &n_cells);
    // After the last of them.
    void find_passages();
    // Does whoever comes to an edge or corner of a tree across its sides come to all trees there from each of them? Not around one where 5 meet.
    bool is_regular() const { return is_regular_; }

    // Of equal extents and joins.
    bool operator==(const Trees &other) const { return n_dims_ == other.n_dims_ && n_roots_ == other.n_roots_ && joined_ == other.joined_; }

    int32_t n_dims() const { return n_dims_; }
    int32_t size() const { return static_cast<int32_t>(n_roots_.size()); }
    const Extent &n_roots(int32_t tree) const { return n_roots_[static_cast<size_t>(tree)]; }
    // The block of the same level at an offset of -1, 0 or 1 per direction, and how its tree's index space lies. False: there is none.
    bool neighbour(const TreeBlock &block, const ElementOffset &offset, TreeBlock &there, AxisMap &map) const;

    // What a side is joined to, and how that tree's index space lies. False: nothing.
    bool behind(int32_t tree, int32_t side, int32_t &to_tree, AxisMap &map) const;

private:
    // Into another tree.
    struct Passage {
        int32_t tree = -1; // there is none
        std::array<int8_t, 3> axis{ 0, 1, 2 };
        std::array<int8_t, 3> sign{ 1, 1, 1 };
        bool operator==(const Passage &) const = default;
    };

    static AxisMap map_of(const Passage &passage) { return { passage.axis, passage.sign, passage.sign }; }
    std::optional<Passage> crossing(int32_t tree, const ElementOffset &out, const std::array<int, 3> &order, int n) const;
    Passage only_way(int32_t tree, int32_t element) const;
    bool knows_all_at(int32_t tree, int32_t element) const;

    int32_t n_dims_;
    std::vector<Extent> n_roots_;
    std::vector<Passage> joined_;   // 6 sides of each tree
    std::vector<Passage> passages_; // 27 elements of each tree
    bool is_regular_ = true;
};

} // namespace halo
