// SPDX-License-Identifier: BSD-3-Clause
// What travels from the blocks of one forest to those of another over the same trees: blocks that stay, or come again elsewhere; those that become
// the parts of a block, or a block of its parts.
#pragma once

#include "topology/forest/remesh_leaves.h"

namespace halo {

enum class RemeshWay : uint8_t {
    same,   // cells -> cells of the same block
    merged, // coarse cells of each part -> cells of the block
    split,  // cells of a block -> coarse cells of each part, and as many around them as are read
};

class RemeshEdges {
public:
    // `reach`: coarse cells around a part that its cells are made from.
    RemeshEdges(const RemeshLeaves &leaves, int32_t reach);

    // HALO_ERR_ARGUMENT: a leaf of the second list comes from blocks that have been refined or coarsened by more than one level.
    void check(int64_t gid) const;
    void emit(RemeshWay way, const EdgeSink &sink) const;

private:
    Edge edge(RemeshWay way, const PlacedLeaf &from, const PlacedLeaf &to) const;
    template <class Visit>
    void for_each_source(RemeshWay way, const TreeBlock &block, Visit &&visit) const;
    template <class Visit>
    void for_each_target(RemeshWay way, const TreeBlock &block, Visit &&visit) const;

    const FoundLeaves &from_;
    const FoundLeaves &to_;
    int32_t n_dims_;
    int32_t here_;
    int32_t reach_;
    Extent cells_;
    Extent coarse_cells_;
};

} // namespace halo
