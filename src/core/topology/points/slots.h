// SPDX-License-Identifier: BSD-3-Clause
// Slots beside the points of a part that owns some: one for each copy elsewhere, so that every copy can be heard and answered alone.
#pragma once

#include "topology/points/points.h"

namespace halo {

// The slots of one part. Those of points with one copy come first, in the order in which messages bring them; then those of points with several,
// point by point, in the order in which the copies are combined.
struct PartSlots {
    PointList single;              // the point of each of the first slots
    std::vector<uint32_t> several; // points with several copies, ascending,
    std::vector<uint32_t> first;   // the first slot of each, and the end of all

    int64_t size() const { return first.back(); }
};

struct Slots {
    explicit Slots(const PointsTopology &points);

    const PointsTopology &points;
    std::vector<PartSlots> parts; // of each local part
    std::vector<Edge> edges;      // from copies to slots; the part of the slots of a part is `gid_of` it

    int64_t gid_of(int64_t gid) const { return points.n_parts() + gid; }

private:
    void number(PartSlots &part, int64_t n_points, std::span<Edge> heard);

    std::vector<PointList> lists_; // what regions of edges name
};

// The parts of the points, and behind them those of their slots.
class SlotsTopology final : public Topology {
public:
    // Edges go from copies to slots; with `back`, from slots to copies. `slots` must stay.
    SlotsTopology(const Slots &slots, bool back);

    int32_t n_dims() const override { return 1; }
    bool has_cells() const override { return false; }
    int64_t n_parts() const override { return 2 * slots_.points.n_parts(); }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t) const override { return {}; }
    std::vector<int32_t> peers() const override { return slots_.points.peers(); }
    Extent widest_ghosts() const override { return { 0, 0, 0 }; }
    Extent cells(int64_t local_index) const override;
    Extent cells_of(int64_t gid) const override;
    std::vector<halo_boundary> boundaries(int64_t, const GhostWidths &, Centring) const override { return {}; }
    void edges(const EdgeRequest &request, const EdgeSink &sink) const override;

private:
    const Slots &slots_;
    bool back_;
};

} // namespace halo
