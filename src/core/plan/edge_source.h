// SPDX-License-Identifier: BSD-3-Clause
// Where a plan takes its edges from: a topology, a pair of topologies. Whoever has other edges to be exchanged writes another source.
#pragma once

#include <memory>
#include <vector>

#include "topology/boxes/hierarchy.h"
#include "topology/forest/level_edges.h"
#include "topology/forest/remesh_edges.h"
#include "topology/points/slots.h"
#include "topology/topology.h"

namespace halo {

class EdgeSource {
public:
    EdgeSource() = default;
    virtual ~EdgeSource() = default;
    EdgeSource(const EdgeSource &) = delete;
    EdgeSource &operator=(const EdgeSource &) = delete;

    // Does it know what it needs? Else it must be looked up before anything is emitted: collective, communicates.
    virtual bool is_known() const { return true; }
    virtual void look_up() {}
    // Every edge of values in one centring with an end here, local ones once. Both ends of an edge make the same one.
    virtual void emit(Centring centring, const EdgeSink &sink) const = 0;
    // Leaves out of such an edge the ghosts that lie farther out than `most`. False: nothing is left.
    virtual bool narrow(Edge &edge, Centring centring, const GhostWidths &most) const = 0;
    // Appends what tells this source from others; equal sources emit the same edges.
    virtual void identify(std::vector<uint64_t> &identity) const = 0;

protected:
    static void add_widths(std::vector<uint64_t> &identity, const GhostWidths &ghosts) {
        for (size_t d = 0; d < 3; ++d) identity.push_back(static_cast<uint64_t>(ghosts.low[d]) << 32 | static_cast<uint32_t>(ghosts.high[d]));
    }
};

// How the edges of a topology are used.
struct TopologyUse {
    EdgeRequest request; // but for its centring
    bool reversed = false;
    int32_t sweep = -1; // direction of the only edges, which take the ghosts of lower directions along; -1: all edges
};
std::unique_ptr<EdgeSource> edges_of_topology(const Topology &topology, const TopologyUse &use);

// Ghosts that take part in a transfer.
struct TransferGhosts {
    GhostWidths source;
    GhostWidths destination;
};
// From the boxes of one topology to those of another; they are looked up where not all ranks know all boxes. `all`: from every box that has a point.
std::unique_ptr<EdgeSource> edges_of_transfer(const Topology &source, const Topology &destination, const TransferGhosts &ghosts, bool all);

// From copies of points to slots beside their owner's; with `back`, from slots to copies.
std::unique_ptr<EdgeSource> edges_of_slots(const SlotsTopology &slots, bool back);

// Between blocks of different levels; to_finer and beside into the ghosts of a field on its coarsened blocks.
std::unique_ptr<EdgeSource> edges_of_levels(std::shared_ptr<FieldLevelEdges> edges, LevelWay way);
// From the blocks of one forest to those of another; merged from a field on coarsened blocks, split into one.
std::unique_ptr<EdgeSource> edges_of_remesh(std::shared_ptr<RemeshLeaves> leaves, int32_t reach, RemeshWay way);

// Between two levels of boxes: into the cells of a field on the finer one's coarsened parts, and from one there; `border`: faces between the levels
// alone.
std::unique_ptr<EdgeSource> edges_to_finer(const Topology &coarse, const Topology &fine, const MadeCells &cells);
std::unique_ptr<EdgeSource> edges_to_coarser(const Topology &coarse, const Topology &fine, bool border);

} // namespace halo
