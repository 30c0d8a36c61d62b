// SPDX-License-Identifier: BSD-3-Clause
// Several parts on each rank: stretches of its points. Edges between ranks become edges between parts.
#pragma once

#include <tuple>

#include "topology/points/point_edges.h"

namespace halo {

class Context;

struct PartEdgeKey {
    int64_t send_gid;
    int64_t receive_gid;
    int64_t tag;
    bool operator<(const PartEdgeKey &other) const {
        return std::tie(send_gid, receive_gid, tag) < std::tie(other.send_gid, other.receive_gid, other.tag);
    }
};

// Points count from the first of their part.
struct PartEdges {
    std::map<PartEdgeKey, PointList> send;
    std::map<PartEdgeKey, PointList> receive;
    std::map<PartEdgeKey, std::pair<PointList, PointList>> local; // sent, received
};

class PointParts {
public:
    // `offsets`: where the points of each part of this rank begin, and the end. `most`: parts of any rank.
    PointParts(int32_t rank, int64_t most, std::vector<int64_t> offsets) : most_(most), first_gid_(rank * most), offsets_(std::move(offsets)) {}

    std::vector<int64_t> gids() const;
    int32_t rank_of(int64_t gid) const { return static_cast<int32_t>(gid / most_); }
    int64_t most() const { return most_; }
    int64_t first_point(int64_t place) const { return offsets_[static_cast<size_t>(place)]; }
    int64_t n_points(int64_t place) const { return offsets_[static_cast<size_t>(place) + 1] - offsets_[static_cast<size_t>(place)]; }

    // Both ends tell each other in which part each point of their lists lies. Collective between ranks that have edges.
    PartEdges split(Context &context, const PointEdges &edges) const;

private:
    std::vector<uint32_t> places(const PointList &points) const;
    void add_local(const PointList &sent, const PointList &received, int64_t tag, PartEdges &into) const;
    uint32_t within(uint32_t point, uint32_t place) const { return point - static_cast<uint32_t>(offsets_[place]); }

    int64_t most_;
    int64_t first_gid_;
    std::vector<int64_t> offsets_;
};

} // namespace halo
