// SPDX-License-Identifier: BSD-3-Clause
// Parts with index spaces of their own, and explicit joins between them.
#pragma once

#include "base/terms.h"
#include "topology/topology.h"

namespace halo {

class RegionsTopology : public Topology {
public:
    RegionsTopology(Context &context, const halo_regions_desc &desc);

    int32_t n_dims() const override { return n_dims_; }
    int64_t n_parts() const override { return std::ssize(cells_); }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t gid) const override;
    std::vector<int32_t> peers() const override;
    Extent widest_ghosts() const override { return { reach_, reach_, reach_ }; }
    Extent cells(int64_t local_index) const override { return cells_[local_parts_[local_index]]; }
    Extent cells_of(int64_t gid) const override { return cells_[gid]; }
    void mark_owned(int64_t local_index, Centring centring, std::span<uint8_t> mask) const override;
    std::vector<halo_boundary> boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const override;
    void edges(const EdgeRequest &request, const EdgeSink &sink) const override;

    // Those that fill ghosts of a part.
    template <class Visit>
    void for_each_filling(int64_t gid, Visit &&visit) const {
        for (const size_t join : filled_[static_cast<size_t>(gid)]) visit(joins_[join]);
    }

private:
    void read_parts(const halo_regions_desc &desc);
    void read_joins(const halo_regions_desc &desc);
    void check_join(const halo_join &join, int64_t place) const;
    void check_overlap() const;
    Terms terms() const; // that ranks must agree on
    void require_gid(int64_t gid) const;
    halo_box owned(int64_t gid) const;
    GhostWidths reach_widths() const;
    void ghost_edges(const Edge &join, const EdgeRequest &request, const EdgeSink &sink) const;
    void edges_between_copies(int64_t owner, const EdgeRequest &request, const EdgeSink &sink) const;
    void edges_of_pair(const Edge &from, const Edge &to, const EdgeRequest &request, const EdgeSink &sink) const;

    int32_t n_dims_;
    int32_t reach_;
    std::vector<Extent> cells_;               // by gid
    std::vector<int32_t> owner_;              // by gid
    std::vector<Edge> joins_;                 // the tag is the place in this list
    std::vector<std::vector<size_t>> sent_;   // by gid: its joins as sender,
    std::vector<std::vector<size_t>> filled_; // and as receiver
};

} // namespace halo
