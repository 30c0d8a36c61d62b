// SPDX-License-Identifier: BSD-3-Clause
// Blocks of equal numbers of cells, refined: the leaves of trees, each of which divides a box of root blocks by two per direction again and again.
#pragma once

#include <optional>

#include "base/terms.h"
#include "halo_levels.h"
#include "topology/forest/around.h"
#include "topology/forest/leaf_directory.h"
#include "topology/topology.h"

namespace halo {

class ForestTopology final : public Topology {
public:
    ForestTopology(Context &context, const halo_forest_desc &desc);

    // As of any topology; edges() has those between blocks of one level alone.
    int32_t n_dims() const override { return n_dims_; }
    std::string text() const override;
    int64_t n_parts() const override { return leaves_->size(); }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t gid) const override;
    std::vector<int32_t> peers() const override;
    Extent widest_ghosts() const override { return n_cells_; }
    Extent cells(int64_t) const override { return n_cells_; }
    Extent cells_of(int64_t) const override { return n_cells_; }
    void mark_owned(int64_t local_index, Centring centring, std::span<uint8_t> mask) const override;
    std::vector<halo_boundary> boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const override;
    void edges(const EdgeRequest &request, const EdgeSink &sink) const override;
    std::string global_name(int64_t local_index, const Extent &point) const override {
        return name_in_tree(leaf(local_parts_[static_cast<size_t>(local_index)]), n_cells_, point);
    }

    // Does each rank know its own leaves and those near them alone? What follows is of leaves that are known.
    bool is_distributed() const { return directory_.has_value(); }
    // Where the others are found.
    const LeafDirectory &directory() const { return *directory_; }
    const TreeBlock &leaf(int64_t gid) const { return (*leaves_)[gid]; }
    int32_t owner(int64_t gid) const;
    Across across(const TreeBlock &block, int32_t element) const { return leaves_->across(block, element); }
    // Does nothing lie there?
    bool ends_at(const TreeBlock &block, int32_t element) const {
        TreeBlock there;
        AxisMap map;
        return !leaves_->trees().neighbour(block, element_offset(element), there, map);
    }
    // The local leaves and all that lie across an element of one of them, ascending: whoever exchanges with a local leaf is among them.
    const std::vector<int64_t> &near() const { return near_; }
    // What lies across an element of one of these, by its place among them; element 13: itself. Across which of them, as bits, does something
    // lie so?
    Across across_near(size_t place, int32_t element) const { return around_.across(*leaves_, place, leaf(near_[place]), element); }
    uint32_t elements_near(size_t place, Across::Is is) const { return around_.elements(place, is); }
    size_t place_near(int64_t gid) const { return static_cast<size_t>(std::ranges::lower_bound(near_, gid) - near_.begin()); }
    int32_t balance() const { return balance_; } // HALO_BALANCE_...
    // Are points in this centring those in the same one of any other tree?
    bool keeps(Centring centring) const;
    // Is any leaf next to a coarser one?
    bool has_levels() const { return has_levels_; }
    const Leaves &leaves() const { return *leaves_; }
    // HALO_ERR_ARGUMENT: points in this centring have no single owner, or more ghosts than blocks can give.
    void check_points(const EdgeRequest &request) const;

private:
    void read_all(const halo_forest_desc &desc);
    void read_owners(const halo_forest_desc &desc);
    void find_others(Trees trees, std::vector<TreeBlock> own);
    uint64_t hash_of(const halo_forest_desc &desc, const Trees &trees) const;
    Terms terms(const halo_forest_desc &desc, const Trees &trees) const; // that ranks must agree on
    void require_gid(int64_t gid) const;
    void find_near();
    bool find_levels(const halo_forest_desc &desc) const;
    bool find_levels() const;
    void require_owners(Centring centring) const;
    void ghost_cells(const EdgeRequest &request, const EdgeSink &sink) const;
    void owned_points(const EdgeRequest &request, const EdgeSink &sink) const;
    int32_t n_dims_;
    Extent n_cells_{ 1, 1, 1 };
    std::optional<LeafDirectory> directory_;
    std::optional<Leaves> leaves_;
    std::vector<int32_t> owner_; // of those that are known; empty: equal runs of gids
    std::vector<int64_t> near_;
    Around around_;     // of these
    uint64_t hash_ = 0; // of the description
    int32_t balance_ = HALO_BALANCE_FULL;
    std::vector<AxisMap> turns_; // of joins that change directions
    bool has_levels_ = false;
};

} // namespace halo
