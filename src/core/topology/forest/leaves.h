// SPDX-License-Identifier: BSD-3-Clause
// Leaves: blocks that cover all trees without overlap, by place in their list, which is their gid; what lies in a block's place, and across its
// elements.
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

// Elements other than the volume, in as many directions as there are: visit(element, offset).
template <class Visit>
void for_each_element(int32_t n_dims, Visit &&visit) {
    for (int32_t element = 0; element < 27; ++element) {
        const ElementOffset offset = element_offset(element);
        if (element != 13 && (n_dims > 1 || offset[1] == 0) && (n_dims > 2 || offset[2] == 0)) visit(element, offset);
    }
}

class Leaves {
public:
    // HALO_ERR_ARGUMENT: blocks that overlap, or a place that none covers. Each lies in its tree.
    Leaves(Trees trees, std::vector<TreeBlock> blocks);

    const Trees &trees() const { return trees_; }
    int64_t size() const { return std::ssize(blocks_); }
    const TreeBlock &operator[](int64_t gid) const { return blocks_[static_cast<size_t>(gid)]; }
    // gids along the curve.
    std::vector<uint32_t> by_curve() const;

    // -1: it is no leaf.
    int64_t find(const TreeBlock &block) const;
    Across across(const TreeBlock &block, int32_t element) const;
    // All leaves in a refined block that touch its element.
    template <class Visit>
    void for_each_touching(const TreeBlock &refined, const ElementOffset &element, Visit &&visit) const {
        for (int32_t number = 0; number < 1 << trees_.n_dims(); ++number) {
            bool touches = true;
            for (int d = 0; d < trees_.n_dims(); ++d) touches = touches && (element[d] == 0 || (number >> d & 1) == (element[d] > 0 ? 1 : 0));
            if (!touches) continue;
            const TreeBlock part = child(refined, number);
            if (const int64_t gid = find(part); gid >= 0)
                visit(gid);
            else
                for_each_touching(part, element, visit);
        }
    }

private:
    size_t slot(const TreeBlock &block) const;
    void check_cover(const std::vector<uint32_t> &order) const;

    Trees trees_;
    std::vector<TreeBlock> blocks_;
    std::vector<uint32_t> table_; // gid by hash; a power of two, half of it empty at least
};

} // namespace halo
