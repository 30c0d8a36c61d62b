// SPDX-License-Identifier: BSD-3-Clause
// Leaves: blocks that cover all trees without overlap, by gid; what lies in a block's place, and across its elements. All of them, or those that a
// rank knows.
#pragma once

#include <span>
#include <vector>

#include "topology/forest/trees.h"

namespace halo {

// What lies across an element of a block, at the block's own level.
struct Across {
    enum class Is : uint8_t { nothing, leaf, coarser, finer };
    Is is = Is::nothing;
    TreeBlock block;  // of the same level, in its own tree
    AxisMap map;      // from the asking block's index space to its
    int64_t gid = -1; // leaf: its own; coarser: the leaf in which it lies
};

// One that belongs to a rank.
struct PlacedLeaf {
    int64_t gid = 0;
    int32_t rank = 0;
    TreeBlock block;
};

// Elements other than the volume, in as many directions as there are: visit(element, offset).
template <class Visit>
void for_each_element(int32_t n_dims, Visit &&visit) {
    for (int32_t element = 0; element < 27; ++element) {
        const ElementOffset offset = element_offset(element);
        if (element != 13 && (n_dims > 1 || offset[1] == 0) && (n_dims > 2 || offset[2] == 0)) visit(element, offset);
    }
}

// Does that part of a block touch an element of it?
bool is_part_at(int32_t n_dims, int32_t number, const ElementOffset &element);

// Parts of a block that touch an element of it.
template <class Visit>
void for_each_part_at(int32_t n_dims, const TreeBlock &block, const ElementOffset &element, Visit &&visit) {
    for (int32_t number = 0; number < 1 << n_dims; ++number)
        if (is_part_at(n_dims, number, element)) visit(child(block, number));
}

class Leaves {
public:
    // All: their places in the list are their gids. HALO_ERR_ARGUMENT: blocks that overlap, or a place that none covers. Each lies in its tree.
    Leaves(Trees trees, std::vector<TreeBlock> blocks);
    // Those of `n` that are known, ascending by gid, no block twice. What is asked of others gets no answer.
    Leaves(Trees trees, int64_t n, const std::vector<PlacedLeaf> &known);

    const Trees &trees() const { return trees_; }
    int64_t size() const { return n_; }
    const TreeBlock &operator[](int64_t gid) const { return blocks_[static_cast<size_t>(place(gid))]; }
    // In the list of those that are known; -1: this one is not.
    int64_t place(int64_t gid) const;
    // gids along the curve, of a list of all.
    std::vector<uint32_t> by_curve() const;

    // -1: it is no leaf.
    int64_t find(const TreeBlock &block) const;
    // What lies in a block's own place, and across an element of it.
    Across at(const TreeBlock &block) const;
    Across across(const TreeBlock &block, int32_t element) const;
    // All leaves in a refined block that touch its element. All of these must be known.
    template <class Visit>
    void for_each_touching(const TreeBlock &refined, const ElementOffset &element, Visit &&visit) const {
        for_each_part_at(trees_.n_dims(), refined, element, [&](const TreeBlock &part) {
            if (const int64_t gid = find(part); gid >= 0)
                visit(gid);
            else
                for_each_touching(part, element, visit);
        });
    }
    // visit(element, map, gid) of all leaves across an element of a block.
    template <class Visit>
    void for_each_around(const TreeBlock &block, Visit &&visit) const {
        for_each_element(trees_.n_dims(), [&](int32_t element, const ElementOffset &) {
            const Across there = across(block, element);
            if (there.is == Across::Is::nothing) return;
            if (there.is != Across::Is::finer) return visit(element, there.map, there.gid);
            for_each_touching(there.block, element_offset(element_across(element, there.map)),
                              [&](int64_t finer) { visit(element, there.map, finer); });
        });
    }

private:
    size_t slot(const TreeBlock &block) const;
    void check_cover(const std::vector<uint32_t> &order) const;

    void fill_table();
    void look_up(Across &found) const;

    Trees trees_;
    std::vector<TreeBlock> blocks_;
    std::vector<int64_t> gids_; // of these, unless all are known: then their places
    bool all_known_;
    int64_t n_;
    std::vector<uint32_t> table_; // place by hash; a power of two, half of it empty at least
};

} // namespace halo
