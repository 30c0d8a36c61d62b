// SPDX-License-Identifier: BSD-3-Clause
// What travels from the blocks of one forest to those of another over the same trees: blocks that stay, or come again elsewhere; those that become
// the parts of a block, or a block of its parts.
#pragma once

#include "topology/forest/remesh_leaves.h"

namespace halo {

enum class RemeshWay : uint8_t {
    same,   // points -> points of the same block
    merged, // coarse points of each part -> points of the block
    split,  // points of a block -> coarse points of each part, and as many cells around them as are read
    beside, // points of a block -> those on the border of another's part beside it, which is as fine
};

// Of values in one centring.
class RemeshEdges {
public:
    // `reach`: coarse cells around a part that its values are made from.
    RemeshEdges(const RemeshLeaves &leaves, int32_t reach, Centring centring);

    // HALO_ERR_ARGUMENT: a leaf of the second list comes from blocks that have been refined or coarsened by more than one level.
    void check(int64_t gid) const;
    void emit(RemeshWay way, const EdgeSink &sink) const;

private:
    Edge edge(const PlacedLeaf &from, const PlacedLeaf &to) const;
    Edge edge(RemeshWay way, const PlacedLeaf &from, const PlacedLeaf &to) const;
    std::vector<PlacedLeaf> parts_beside() const;
    void beside(const PlacedLeaf &part, const EdgeSink &sink) const;
    template <class Visit>
    void for_each_source(RemeshWay way, const TreeBlock &block, Visit &&visit) const;
    template <class Visit>
    void for_each_target(RemeshWay way, const TreeBlock &block, Visit &&visit) const;

    const FoundLeaves &from_;
    const FoundLeaves &to_;
    int32_t n_dims_;
    int32_t here_;
    int32_t reach_;
    Centring centring_;
    Extent cells_;
    Extent coarse_cells_;
};

} // namespace halo
