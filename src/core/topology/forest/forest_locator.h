// SPDX-License-Identifier: BSD-3-Clause
// Positions in a forest: out of a tree by its sides, one after the other, then down to the leaf. Of several sides that a position lies behind the
// first is crossed first; another order is tried where that leads nowhere. So a particle goes on around edges of 3 or 5 trees too, where ghosts have
// no one value.
#pragma once

#include "topology/forest/forest.h"
#include "topology/locator.h"

namespace halo {

class ForestLocator final : public Locator {
public:
    // All leaves are known.
    explicit ForestLocator(const ForestTopology &forest) : leaves_(forest.leaves()), n_cells_(forest.cells(0)) {}
    Landing find(int64_t gid, const CellPosition &at) override;

private:
    // A position in a tree, or outside of it, in cells of a level.
    struct Spot {
        int32_t tree;
        int32_t level;
        CellPosition at;
        AxisMap map; // from where it began
    };
    int64_t cells_of_tree(const Spot &spot, size_t d) const;
    bool enter(Spot &spot);
    bool cross(Spot &spot, int d) const;
    bool is_in(const Spot &spot, size_t d) const { return spot.at.cell[d] >= 0 && spot.at.cell[d] < cells_of_tree(spot, d); }
    TreeBlock block_of(const Spot &spot) const;
    int64_t descend(Spot &spot) const;
    void coarsen(Spot &spot, int32_t level) const;
    void refine(Spot &spot) const;

    const Leaves &leaves_;
    Extent n_cells_;
    int n_crossed_ = 0; // for the present position
};

} // namespace halo
