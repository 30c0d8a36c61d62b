// SPDX-License-Identifier: BSD-3-Clause
// Edges between parts that are boxes of one index space.
//
// Of all parts that own a point (their images included), the first in precedence is its owner; copies are the others, and ghosts. Everything is
// computed around the receiving part, from the boxes near it alone, so that both ends of an edge arrive at the same regions in the same order. The
// edges of one pair and element are told apart by `piece`, which counts upwards with the index of the copy's points: so the contributions
// to a point have the same order in a reverse exchange and at every part of a shared reduction.
#pragma once

#include "topology/boxes/box_calculus.h"
#include "topology/boxes/placed_box.h"

namespace halo {

// Where a part's ghosts below, its owned points and its ghosts above begin per direction, and where the last ones end.
using ElementEnds = std::array<std::array<int64_t, 4>, 3>;

class BoxEdges {
public:
    // `here`: this rank. `request` as for a topology of as many dimensions.
    BoxEdges(const BoxSource &source, int32_t here, const EdgeRequest &request);

    void emit(const std::vector<int64_t> &local_parts, const EdgeSink &sink);
    // See Topology.
    void mark_owned(int64_t gid, std::span<uint8_t> mask);
    // Ghosts of a part that nobody owns, by element.
    std::vector<halo_boundary> boundaries(int64_t gid);

private:
    halo_box owned(const PlacedBox &box) const { return points_of(box.cells, request_.centring); }
    halo_box with_ghosts(const PlacedBox &box) const;
    // Where boxes that may send to the receiver have cells; where those that may receive from the sender do.
    halo_box around_receiver(const PlacedBox &receiver) const;
    halo_box around_sender(const PlacedBox &sender) const;
    void look_at(const halo_box &region);
    void order_by_precedence();
    void order_senders(bool upwards);
    void into(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink);
    void from_owners(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink);
    void order_by_corner(const PlacedBox &receiver);
    bool lie_as_before(const PlacedBox &receiver) const;
    bool may_have_images(const PlacedBox &receiver) const;
    void find_pieces(const PlacedBox &receiver);
    void into_element(const PlacedBox &receiver, int32_t element);
    void sort_by_element(const PlacedBox &receiver);
    void between_copies(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink);
    void between(const PlacedBox &sender, const PlacedBox &receiver, const EdgeSink &sink);
    void copies_of_region(const PlacedBox &sender, int32_t sent, const PlacedBox &receiver, int32_t received, const halo_box &region,
                          const EdgeSink &sink);
    EdgeEnds ends_between(const PlacedBox &sender, const PlacedBox &receiver) const { return ends_on(here_, sender.rank, receiver.rank); }
    bool wanted(int32_t element) const { return (wanted_ >> element & 1) != 0; }
    void send(const PlacedBox &sender, const PlacedBox &receiver, const halo_box &points, int32_t element, bool from_owner, const EdgeSink &sink);

    // A box around the receiver, by where it lies.
    struct Corner {
        uint64_t place;
        uint32_t found;
    };
    // What a part receives from the owners around it.
    struct Piece {
        uint32_t sender; // of corners_
        int32_t element; // of the sender
        int32_t number;  // among those from one part into one element
        halo_box send;   // from the sender's origin
        halo_box receive;
    };

    const BoxSource &source_;
    int32_t here_;
    EdgeRequest request_;
    uint32_t wanted_ = 0;                            // a bit for each element of a part that takes part
    std::vector<PlacedBox> found_;                   // around the present receiver
    std::vector<uint32_t> order_;                    // of them, by precedence
    std::vector<PlacedBox> near_;                    // in that order
    std::vector<Corner> corners_;                    // of them
    std::vector<Piece> pieces_;                      // of the last receiver for which they were found
    std::vector<halo_box> around_;                   // its surroundings in the order of corners_, if equal ones have the same pieces; else none
    halo_box own_{};                                 // the part itself, which others may lie on
    bool depend_on_gids_ = false;                    // those pieces, also on where boxes lie
    ElementEnds ends_{};                             // of the present receiver
    std::vector<uint32_t> senders_;                  // of near_, those of one gid behind each other
    std::array<std::vector<uint32_t>, 27> touching_; // of near_: those that own points of each element of the receiver
    std::array<int32_t, 27> sent_{};                 // edges of the present pair, by element
    std::vector<halo_box> left_;                     // scratch
};

} // namespace halo
