// SPDX-License-Identifier: BSD-3-Clause
// Edges between parts that are boxes of one index space.
//
// Of all parts that own a point (their images included), the first in precedence is its owner; copies are the others, and ghosts. Everything is
// computed around the receiving part, from the boxes near it alone, so that both ends of an edge arrive at the same regions in the same order. The
// keys of the edges of one pair and element are told apart by `extra`, which counts upwards with the index of the copy's points: so the contributions
// to a point have the same order in a reverse exchange and at every part of a shared reduction.
#pragma once

#include "topology/boxes/placed_box.h"

namespace halo {

class BoxEdges {
public:
    // `here`: this rank. `request` as for a topology of as many dimensions.
    BoxEdges(const BoxSource &source, int32_t here, const EdgeRequest &request) : source_(source), here_(here), request_(request) {}

    void emit(const std::vector<int64_t> &local_parts, const EdgeSink &sink);
    // Ghosts of a part that nobody owns, by element.
    std::vector<halo_boundary> boundaries(int64_t gid);

private:
    halo_box owned(const PlacedBox &box) const;
    halo_box with_ghosts(const PlacedBox &box) const;
    void look_around(const PlacedBox &receiver);
    void order_senders(bool upwards);
    std::vector<int64_t> remote_receivers(const std::vector<int64_t> &local_parts);
    void into(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink);
    void from_owners(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink);
    void between_copies(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink);
    void between(const PlacedBox &sender, const PlacedBox &receiver, const EdgeSink &sink);
    void copies_of_region(const PlacedBox &sender, int32_t sent, const PlacedBox &receiver, int32_t received, const halo_box &region,
                          const EdgeSink &sink);
    bool wanted(int32_t element) const;
    void send(const PlacedBox &sender, const PlacedBox &receiver, const halo_box &points, int32_t element, bool from_owner, const EdgeSink &sink);

    const BoxSource &source_;
    int32_t here_;
    EdgeRequest request_;
    std::vector<PlacedBox> near_;    // around the present receiver, by precedence
    std::vector<size_t> senders_;    // of near_, those of one gid behind each other
    std::vector<halo_box> pieces_;   // scratch
    std::array<int64_t, 27> sent_{}; // edges of the present pair, by element
};

} // namespace halo
