// SPDX-License-Identifier: BSD-3-Clause
// A uniform grid of equal blocks, periodic or not per direction.
#pragma once

#include "topology/boxes/placed_box.h"
#include "topology/topology.h"

namespace halo {

class BlocksTopology final : public Topology, private BoxSource {
public:
    BlocksTopology(Context &context, const halo_blocks_desc &desc);

    int32_t n_dims() const override { return n_dims_; }
    std::string text() const override;
    std::string why_no_rows(bool) const override { return {}; }
    int64_t n_parts() const override { return n_parts_; }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t gid) const override;
    Extent widest_ghosts() const override;
    Extent cells(int64_t) const override { return n_cells_; }
    Extent cells_of(int64_t) const override { return n_cells_; }
    void mark_owned(int64_t local_index, Centring centring, std::span<uint8_t> mask) const override;
    std::vector<halo_boundary> boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const override;
    void edges(const EdgeRequest &request, const EdgeSink &sink) const override;
    const BoxSource *boxes() const override { return this; }
    halo_box domain() const override;

private:
    void boxes_near(const halo_box &region, std::vector<PlacedBox> &found) const override;
    PlacedBox box_of(int64_t gid) const override;
    Extent period() const override;
    // Do ghosts lie in the blocks next to a part?
    bool are_near(const GhostWidths &widths) const;
    void ghost_edges(const EdgeRequest &request, const EdgeSink &sink) const;
    void check_desc(const halo_blocks_desc &desc) const;
    void find_local_parts();
    void require_gid(int64_t gid) const;
    int32_t owner(int64_t gid) const;
    Extent coordinates(int64_t gid) const;
    int64_t gid_at(const Extent &at) const;
    // gid across an element; -1: outside the domain.
    int64_t neighbour(const Extent &at, const ElementOffset &offset) const;
    halo_box ghost_box(const ElementOffset &side, const GhostWidths &widths, Centring centring) const;
    std::array<Edge, 27> edges_by_side(const EdgeRequest &request) const;
    // Elements other than the volume, in as many directions as there are.
    template <class Visit>
    void for_each_element(Visit &&visit) const;
    // Elements of a part across which there is one.
    template <class Visit>
    void for_each_neighbour(int64_t gid, Visit &&visit) const;

    int32_t n_dims_;
    Extent n_blocks_;
    Extent n_cells_;
    std::array<bool, 3> periodic_;
    int32_t order_;
    int64_t n_parts_ = 1;
    std::vector<int32_t> owner_; // empty: equal runs of gids
};

} // namespace halo
