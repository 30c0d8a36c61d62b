// SPDX-License-Identifier: BSD-3-Clause
// Slots beside the points of a part that owns some: one for each copy elsewhere, so that every copy can be heard and answered alone. They lie in
// the order in which messages bring them.
#pragma once

#include "topology/points/points.h"

namespace halo {

// Owned points of a part, and where their copies are: in this order they are combined.
struct PartSlots {
    // Point by point. Two runs, or lists, in which points may come several times.
    struct Stretch {
        Region points;
        Region copies;
        bool here; // copies are points of the same part; else slots
    };
    int64_t size = 0; // slots
    std::vector<Stretch> stretches;
};

struct Slots {
    // `here`: points of the part that owns them need no slots.
    Slots(const PointsTopology &points, bool here);

    const PointsTopology &points;
    std::vector<PartSlots> parts; // of each local part
    std::vector<Edge> edges;      // from copies to slots, which have the gid of their part

private:
    void add(PartSlots &part, Edge &heard, bool here, int64_t n_points);

    std::vector<PointList> lists_; // that stretches name, beside those of the topology
};

// The slots of each part, as a part for fields of their own.
class SlotsTopology final : public Topology, public KeptByTopology {
public:
    SlotsTopology(const PointsTopology &points, bool here);
    bool is_of(bool here) const { return here_ == here; }
    const Slots &slots() const { return slots_; }

    int32_t n_dims() const override { return 1; }
    bool has_cells() const override { return false; }
    int64_t n_parts() const override { return slots_.points.n_parts(); }
    halo_part part(int64_t gid) const override;
    std::vector<halo_neighbour> neighbours(int64_t) const override { return {}; }
    std::vector<int32_t> peers() const override { return slots_.points.peers(); }
    Extent widest_ghosts() const override { return { 0, 0, 0 }; }
    Extent cells(int64_t local_index) const override { return { slots_.parts[static_cast<size_t>(local_index)].size, 1, 1 }; }
    Extent cells_of(int64_t gid) const override;
    std::vector<halo_boundary> boundaries(int64_t, const GhostWidths &, Centring) const override { return {}; }
    void edges(const EdgeRequest &, const EdgeSink &) const override {} // none from slots to slots

private:
    bool here_;
    Slots slots_;
};

} // namespace halo
