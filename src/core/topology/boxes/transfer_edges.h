// SPDX-License-Identifier: BSD-3-Clause
// Edges from the boxes of one topology to those of another in the same index space.
#pragma once

#include <functional>

#include "topology/boxes/placed_box.h"

namespace halo {

struct TransferRequest {
    Centring centring = HALO_CENTRE_CELL;
    GhostWidths source;      // ghosts that are read,
    GhostWidths destination; // and filled
    bool all = false;        // from every box that has a point, else from one: what parts own before ghosts, then by precedence
    // The only points that a part of the destination gets, disjoint boxes counted from its first; none: all.
    std::function<std::vector<halo_box>(int64_t gid)> wanted;
};

class TransferEdges {
public:
    // Both have the same periods.
    TransferEdges(const BoxSource &source, const BoxSource &destination, int32_t here, const TransferRequest &request)
        : source_(source),
          destination_(destination),
          here_(here),
          request_(request) {}

    void emit(const std::vector<int64_t> &local_sources, const std::vector<int64_t> &local_destinations, const EdgeSink &sink) const;

private:
    std::vector<int64_t> remote_receivers(const std::vector<int64_t> &local_sources) const;
    void into(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink) const;
    std::vector<halo_box> wanted_by(const PlacedBox &receiver, const halo_box &all) const;
    // Points of `wanted` that the box at `place` of `near` provides.
    std::vector<halo_box> provided(const std::vector<PlacedBox> &near, size_t place, const halo_box &wanted) const;
    halo_box owned(const PlacedBox &box) const;
    halo_box with_ghosts(const PlacedBox &box) const;

    const BoxSource &source_;
    const BoxSource &destination_;
    int32_t here_;
    TransferRequest request_;
};

} // namespace halo
