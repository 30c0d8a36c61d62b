// SPDX-License-Identifier: BSD-3-Clause
// Blocks of equal numbers of cells, refined: the leaves of trees, each of which divides a box of root blocks by two per direction again and again.
#pragma once

#include <unordered_map>

#include "base/terms.h"
#include "halo_levels.h"
#include "topology/topology.h"

namespace halo {

// A block, whether it is a leaf, lies within one, or has been refined. `at`: in blocks of its level.
struct TreeBlock {
    int32_t tree = 0;
    int32_t level = 0;
    Extent at{};
    bool operator==(const TreeBlock &) const = default;
};

// What lies across an element of a block, at the block's own level.
struct Across {
    enum class Is : uint8_t { nothing, leaf, coarser, finer };
    Is is = Is::nothing;
    TreeBlock block; // of the same level, in its own tree
    AxisMap map;     // from the asking block's index space to its
    int64_t gid = -1; // leaf: its own; coarser: the leaf in which it lies
};

class ForestTopology final : public Topology {
public:
    ForestTopology(Context &context, const halo_forest_desc &desc);

    // As of any topology; edges() has those between blocks of one level alone.
    int32_t n_dims() const override { return n_dims_; }
    std::string text() const override;
    int64_t n_parts() const override { return std::ssize(leaves_); }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t gid) const override;
    Extent widest_ghosts() const override { return n_cells_; }
    Extent cells(int64_t) const override { return n_cells_; }
    Extent cells_of(int64_t) const override { return n_cells_; }
    std::vector<halo_boundary> boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const override;
    void edges(const EdgeRequest &request, const EdgeSink &sink) const override;

    const TreeBlock &leaf(int64_t gid) const { return leaves_[static_cast<size_t>(gid)]; }
    int32_t owner(int64_t gid) const;
    // Of a block that is a leaf; else -1.
    int64_t gid_of(const TreeBlock &block) const;
    Across across(const TreeBlock &block, int32_t element) const;
    // The local leaves and all that lie across an element of one of them, ascending: whoever exchanges with a local leaf is among them.
    const std::vector<int64_t> &near() const { return near_; }
    // Is any leaf next to a coarser one?
    bool has_levels() const { return has_levels_; }

private:
    int32_t n_dims_;
    Extent n_cells_{ 1, 1, 1 };
    std::vector<TreeBlock> leaves_; // by gid
    std::vector<int32_t> owner_;    // empty: equal runs of gids
    std::vector<int64_t> near_;
    bool has_levels_ = false;
};

} // namespace halo
