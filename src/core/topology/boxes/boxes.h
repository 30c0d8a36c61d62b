// SPDX-License-Identifier: BSD-3-Clause
// Any set of boxes of one index space.
#pragma once

#include <optional>

#include "topology/boxes/box_set.h"
#include "topology/topology.h"

namespace halo {

class BoxesTopology final : public Topology {
public:
    BoxesTopology(Context &context, const halo_boxes_desc &desc);

    int32_t n_dims() const override { return n_dims_; }
    std::string why_no_rows(bool shared) const override;
    int64_t n_parts() const override { return n_parts_; }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t gid) const override;
    Extent widest_ghosts() const override;
    Extent cells(int64_t local_index) const override { return cells_of(local_parts_[local_index]); }
    Extent cells_of(int64_t gid) const override;
    void mark_owned(int64_t local_index, Centring centring, std::span<uint8_t> mask) const override;
    std::vector<halo_boundary> boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const override;
    void edges(const EdgeRequest &request, const EdgeSink &sink) const override;
    const BoxSource *boxes() const override { return &*set_; }
    halo_box domain() const override { return domain_; }
    bool knows_all_boxes() const override { return !distributed_; }

private:
    void check_desc(const halo_boxes_desc &desc) const;
    std::vector<PlacedBox> cut_domain(int32_t n_parts_per_rank) const;
    std::vector<PlacedBox> read_boxes(const halo_boxes_desc &desc) const;
    void check_box(const PlacedBox &box) const;

    int32_t n_dims_;
    halo_box domain_;
    Extent period_{};
    bool distributed_;
    bool cut_; // by the library
    int32_t reach_;
    int64_t n_parts_ = 0;
    std::optional<BoxSet> set_;
};

} // namespace halo
