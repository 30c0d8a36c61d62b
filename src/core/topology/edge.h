// SPDX-License-Identifier: BSD-3-Clause
// Edges: what travels from one part to another. Every topology emits them, every plan compiles them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/function_ref.h"
#include "halo.h"

namespace halo {

using Extent = std::array<int64_t, 3>;

// Where the values of a field sit: bit d set, on the faces between the cells of direction d, of which there is one more than cells.
// HALO_CENTRE_CELL, ..._FACE_X and so on; a single place, never several.
using Centring = int32_t;

inline int64_t points(int64_t cells, Centring centring, int d) { return cells + (centring >> d & 1); }

// Ghost layers per direction, below and above.
struct GhostWidths {
    std::array<int32_t, 3> low{};
    std::array<int32_t, 3> high{};

    GhostWidths clipped(const GhostWidths &most) const;
    // Of cells twice as wide that cover these.
    GhostWidths halved() const;
    // More than there can be.
    static constexpr GhostWidths all() { return same(INT32_MAX); }
    static constexpr GhostWidths same(int32_t width) { return { { width, width, width }, { width, width, width } }; }
    bool operator==(const GhostWidths &) const = default;
};

// Offset of an element from a part's centre, -1, 0 or 1 per direction.
using ElementOffset = std::array<int32_t, 3>;
constexpr ElementOffset element_offset(int32_t element) { return { element % 3 - 1, element / 3 % 3 - 1, element / 9 - 1 }; }

// Index spaces that are turned against each other: direction d of the receiver runs along direction axis[d] of the sender, downwards where
// sign[d] is -1. What of a vector lies along direction d comes from there with the sign vector[d].
struct AxisMap {
    std::array<int8_t, 3> axis{ 0, 1, 2 };
    std::array<int8_t, 3> sign{ 1, 1, 1 };
    std::array<int8_t, 3> vector{ 1, 1, 1 };

    bool is_identity() const {
        bool same = true;
        for (size_t d = 0; d < 3; ++d) same = same && axis[d] == static_cast<int>(d) && sign[d] == 1 && vector[d] == 1;
        return same;
    }
    AxisMap inverse() const;
    // First this one, then `next`.
    AxisMap then(const AxisMap &next) const;
    bool operator==(const AxisMap &) const = default;
};

// What an edge reads or writes in one part: a box of points, or a list of them. Point (0, 0, 0) is the part's first owned one.
struct Region {
    halo_box box{};                     // of as many points as the list, if there is one
    std::span<const uint32_t> points{}; // memory of the topology
    bool listed = false;

    int64_t size() const;
};

inline bool empty(const halo_box &box) { return box.low[0] >= box.high[0] || box.low[1] >= box.high[1] || box.low[2] >= box.high[2]; }

inline halo_box intersection(const halo_box &a, const halo_box &b) {
    halo_box both;
    for (int d = 0; d < 3; ++d) {
        both.low[d] = std::max(a.low[d], b.low[d]);
        both.high[d] = std::min(a.high[d], b.high[d]);
    }
    return both;
}

int64_t volume(const halo_box &box);

inline bool has(const halo_box &box, const Extent &point) {
    for (size_t d = 0; d < 3; ++d)
        if (point[d] < box.low[d] || point[d] >= box.high[d]) return false;
    return true;
}

// An element of the receiver, beyond which the sender lies, as the sender has it: the one beyond which the receiver lies. Where index spaces are not
// turned that is 26 - element.
int32_t element_across(int32_t element, const AxisMap &map);

// Tells an edge from others between the same two parts.
struct EdgeIdentity {
    int32_t element = 13; // of the sender, in its index space
    int32_t piece = 0;    // the pair's edges over the element count from 0
    int64_t tag = 0;      // what the topology alone can tell apart: joins, kinds of lists of points
};

// "x+ y-"; empty: the middle.
std::string element_name(int32_t element);

// The identity's share in the `extra` of a public key. Fields may have several places per cell (fewer than 256), and stand in an exchange several
// times.
int64_t key_extra(const EdgeIdentity &identity, int32_t place, int64_t copy_of_field);

enum class EdgeEnds : uint8_t { local, send, receive };

// Which of an edge's ends are on the rank `here`, if one is.
inline EdgeEnds ends_on(int32_t here, int32_t send_rank, int32_t receive_rank) {
    if (send_rank == receive_rank) return EdgeEnds::local;
    return receive_rank == here ? EdgeEnds::receive : EdgeEnds::send;
}

// One directed edge with at least one end on this rank: values of the sending part for the same points of the receiving part.
struct Edge {
    int64_t send_gid = 0;
    int64_t receive_gid = 0;
    int32_t send_rank = 0;
    int32_t receive_rank = 0;
    EdgeIdentity identity;
    EdgeEnds ends = EdgeEnds::local;
    bool from_owner = true;  // the sending part owns all these points
    bool contributes = true; // do the receiver's values go into reductions?
    Region send;
    Region receive;
    AxisMap map; // from the receiver's index space to the sender's
};
using EdgeSink = FunctionRef<void(const Edge &)>;

// The same points the other way. Nothing is from an owner then.
Edge reversed(const Edge &edge);

// Leave out of a box edge the points that the receiving, or the sending, part has outside of `kept`. False: nothing is left.
bool restrict_receive(Edge &edge, const halo_box &kept);
bool restrict_send(Edge &edge, const halo_box &kept);

// Leave out of a box edge the ghosts of the receiving part, of `cells` cells, that lie farther out than `ghosts`. False: nothing is left.
bool clip_receive(Edge &edge, const Extent &cells, Centring centring, const GhostWidths &ghosts);

enum class Flow : uint8_t {
    from_owner,     // from each point's owner to its copies
    between_copies, // from every copy to every other, and of parts that are not the owner to themselves: a shared reduction
};

// Which edges are wanted, of values in one centring.
struct EdgeRequest {
    GhostWidths ghosts;
    int32_t stencil = HALO_STENCIL_FULL;
    Centring centring = HALO_CENTRE_CELL;
    int32_t shared = HALO_SHARED_KEEP; // HALO_SHARED_...: what happens to points that several parts own
    Flow flow = Flow::from_owner;
    uint32_t sections = 0; // edges of these groups alone; 0: all
};

} // namespace halo
