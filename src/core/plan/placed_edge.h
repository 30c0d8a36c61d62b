// SPDX-License-Identifier: BSD-3-Clause
// Edges as plans keep them: which values of which part go where. There are 26 for each box, so each takes 80 bytes.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "base/checked.h"
#include "field/point_map.h"
#include "topology/edge.h"

namespace halo {

// One edge of values in one centring. Boxes count from their part's first owned point, listed points from its first.
struct PlacedEdge {
    int64_t send_gid;
    int64_t receive_gid;
    int64_t tag; // of its identity
    int32_t piece;
    int32_t send_part; // local index; -1: on the peer
    int32_t recv_part;
    std::array<int32_t, 3> n;    // points, as the receiver counts them; of lists along x
    std::array<int32_t, 3> low;  // the receiver's first one
    std::array<int32_t, 3> from; // the sender's lowest one
    int32_t lists;               // number of its lists; -1: two boxes
    uint8_t turn;                // number of its map between index spaces
    uint8_t element : 7;
    bool from_owner : 1;
    uint8_t place;      // of the field's places: the receiver's
    uint8_t send_place; // another one where index spaces are turned

    EdgeIdentity identity() const { return { element, piece, tag }; }
    int64_t n_points() const { return int64_t{ n[0] } * n[1] * n[2]; }
};
static_assert(sizeof(PlacedEdge) <= 80);

// Of a field's places, those whose values it sends and fills.
struct EdgePlaces {
    int32_t send = 0;
    int32_t receive = 0;
};

// Points of an edge, where one of its parts has them listed.
struct EdgeLists {
    std::span<const uint32_t> send;
    std::span<const uint32_t> receive;
    bool send_listed = false; // else a run
    bool receive_listed = false;
    uint64_t pattern = 0; // tells which points of the topology's edge the field has no value at; 0: at none
};

// What one rank has to do with the edges of one source, told apart by where their other end is.
class PlacedEdges {
public:
    struct Link {
        int32_t peer = -1;
        std::vector<PlacedEdge> send;
        std::vector<PlacedEdge> receive;
        Checked points_sent = 0; // of the edges that have been added
        Checked points_received = 0;
    };

    std::vector<PlacedEdge> local;
    std::vector<Link> links; // by peer
    Checked local_points = 0;

    // `lists` is null where both parts are boxes; else spans of memory that outlives this.
    PlacedEdge place(const Edge &edge, int32_t send_part, int32_t recv_part, EdgePlaces places, const EdgeLists *lists);
    void add(int32_t peer, EdgeEnds ends, const PlacedEdge &edge);
    // Memory for the points of a list that would go.
    std::span<const uint32_t> keep(std::span<const uint32_t> points);

    const AxisMap &turn_of(const PlacedEdge &edge) const { return turns_[edge.turn]; }
    const EdgeLists *lists_of(const PlacedEdge &edge) const { return edge.lists < 0 ? nullptr : &lists_[static_cast<size_t>(edge.lists)]; }
    uint64_t pattern_of(const PlacedEdge &edge) const { return edge.lists < 0 ? 0 : lists_of(edge)->pattern; }
    // Its regions, as its source has emitted it; only boxes.
    Edge edge_of(const PlacedEdge &edge) const;
    // The same with other regions.
    PlacedEdge resized(PlacedEdge placed, const Edge &edge) const;
    // No edges, with the same maps and lists.
    PlacedEdges emptied() const;
    // All in the order of messages.
    void sort(bool has_cells);
    // Of memory.
    size_t bytes() const;

private:
    Link &link(int32_t peer);
    uint8_t turn_number(const AxisMap &map);

    std::vector<AxisMap> turns_{ AxisMap{} };
    std::vector<EdgeLists> lists_;
    std::deque<std::vector<uint32_t>> kept_;
};

// Order of edges in messages and errors: by send gid, receive gid, element, place, rest of the identity.
bool key_before(const PlacedEdge &a, const PlacedEdge &b);

} // namespace halo
