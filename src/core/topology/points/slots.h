// SPDX-License-Identifier: BSD-3-Clause
// Slots beside the points of a rank that owns some: one for each copy elsewhere, so that every copy can be heard and answered alone.
#pragma once

#include "topology/points/points.h"

namespace halo {

struct Slots {
    explicit Slots(const PointsTopology &points);

    const PointsTopology &points;
    std::vector<uint32_t> owned; // the point of each slot, ascending; slots of one point in the order in which its copies are combined
    std::map<std::pair<int32_t, int64_t>, PointList> of_edge; // slots of the copies of each edge, in the order of its points

    int64_t size() const { return std::ssize(owned); }
};

// Each rank has two parts: its points (gid = rank), and its slots (gid = number of ranks + rank).
class SlotsTopology final : public Topology {
public:
    // Edges go from copies to slots; with `back`, from slots to copies. `slots` must stay.
    SlotsTopology(const Slots &slots, bool back);

    int32_t n_dims() const override { return 1; }
    bool has_cells() const override { return false; }
    int64_t n_parts() const override { return 2 * int64_t{ context_.size() }; }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t) const override { return {}; }
    std::vector<int32_t> peers() const override { return slots_.points.peers(); }
    Extent widest_ghosts() const override { return { 0, 0, 0 }; }
    Extent cells(int64_t local_index) const override { return { local_index == 0 ? slots_.points.n_points() : slots_.size(), 1, 1 }; }
    Extent cells_of(int64_t gid) const override;
    std::vector<halo_boundary> boundaries(int64_t, const GhostWidths &, Centring) const override { return {}; }
    void edges(const EdgeRequest &request, const EdgeSink &sink) const override;

private:
    void emit(Edge edge, const EdgeSink &sink) const;

    const Slots &slots_;
    bool back_;
};

} // namespace halo
