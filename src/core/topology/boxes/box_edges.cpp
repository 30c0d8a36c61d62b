// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/box_edges.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace halo {

namespace {

constexpr int32_t interior = 13; // the element of owned points

// Those of one gid behind each other, by their images' shifts. Most often they are in this order already.
void sort_by_gid(const std::vector<PlacedBox> &boxes, bool upwards, std::vector<uint32_t> &places) {
    const auto before = [&](uint32_t a, uint32_t b) {
        if (boxes[a].gid != boxes[b].gid) return boxes[a].gid < boxes[b].gid;
        return upwards ? lower_shift(boxes[a].shift, boxes[b].shift) : lower_shift(boxes[b].shift, boxes[a].shift);
    };
    if (!std::is_sorted(places.begin(), places.end(), before)) std::sort(places.begin(), places.end(), before);
}

ElementEnds ends_of(const halo_box &own, const GhostWidths &ghosts) {
    ElementEnds ends;
    for (int d = 0; d < 3; ++d) ends[d] = { own.low[d] - ghosts.low[d], own.low[d], own.high[d], own.high[d] + ghosts.high[d] };
    return ends;
}

halo_box points_of_element(const ElementEnds &ends, int32_t element) {
    const ElementOffset side = element_offset(element);
    halo_box box;
    for (int d = 0; d < 3; ++d) {
        box.low[d] = ends[d][side[d] + 1];
        box.high[d] = ends[d][side[d] + 2];
    }
    return box;
}

// Bits 0, 1, 2: does [low, high) meet what lies below, in and above the owned points of a direction? Of ghosts that there are none of the bit means
// nothing.
uint32_t ranges_met(int64_t low, int64_t high, const std::array<int64_t, 4> &ends) {
    uint32_t met = 0;
    for (uint32_t range = 0; range < 3; ++range) met |= static_cast<uint32_t>(low < ends[range + 1] && ends[range] < high) << range;
    return met;
}

// A bit for each element of a part that `other` has points of. Bits of ranges, moved to where the elements of y and z differ, multiply without carry.
uint32_t elements_met(const ElementEnds &ends, const halo_box &other) {
    const auto ranges = [&](int d) { return ranges_met(other.low[d], other.high[d], ends[d]); };
    const uint32_t y = ranges(1);
    const uint32_t z = ranges(2);
    return ranges(0) * ((y & 1) | (y & 2) << 2 | (y & 4) << 4) * ((z & 1) | (z & 2) << 8 | (z & 4) << 16);
}

bool has_points(int32_t element, const GhostWidths &ghosts) {
    const ElementOffset side = element_offset(element);
    for (int d = 0; d < 3; ++d)
        if ((side[d] < 0 && ghosts.low[d] == 0) || (side[d] > 0 && ghosts.high[d] == 0)) return false;
    return true;
}

// Which elements of a part take part at all.
bool takes_part(int32_t element, const EdgeRequest &request) {
    if (!has_points(element, request.ghosts)) return false;
    if (element == interior) return request.shared != HALO_SHARED_KEEP || request.flow == Flow::between_copies;
    return request.shared != HALO_SHARED_ONLY && in_stencil(element, request.stencil);
}

} // namespace

BoxEdges::BoxEdges(const BoxSource &source, int32_t here, const EdgeRequest &request) : source_(source), here_(here), request_(request) {
    for (int32_t element = 0; element < 27; ++element) wanted_ |= static_cast<uint32_t>(takes_part(element, request)) << element;
}

halo_box BoxEdges::with_ghosts(const PlacedBox &box) const { return grown(owned(box), request_.ghosts); }

halo_box BoxEdges::around_receiver(const PlacedBox &receiver) const {
    const GhostWidths theirs = request_.flow == Flow::between_copies ? request_.ghosts : GhostWidths{};
    return cells_around(with_ghosts(receiver), request_.centring, theirs);
}

halo_box BoxEdges::around_sender(const PlacedBox &sender) const {
    const halo_box has = request_.flow == Flow::between_copies ? with_ghosts(sender) : owned(sender);
    return cells_around(has, request_.centring, request_.ghosts);
}

void BoxEdges::look_at(const halo_box &region) {
    found_.clear();
    source_.boxes_near(region, found_);
}

void BoxEdges::order_by_precedence() {
    order_.resize(found_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::sort(order_.begin(), order_.end(), [this](uint32_t a, uint32_t b) { return precedes(found_[a], found_[b]); });
    near_.clear();
    for (const uint32_t place : order_) near_.push_back(found_[place]);
}

void BoxEdges::order_senders(bool upwards) {
    senders_.resize(near_.size());
    std::iota(senders_.begin(), senders_.end(), 0u);
    sort_by_gid(near_, upwards, senders_);
}

// One look around a part finds what it receives from and what it sends to.
void BoxEdges::emit(const std::vector<int64_t> &local_parts, const EdgeSink &sink) {
    std::vector<int64_t> elsewhere; // parts of other ranks that may receive something from here
    for (const int64_t gid : local_parts) {
        const PlacedBox part = source_.box_of(gid);
        const halo_box receivers = around_sender(part);
        look_at(hull(around_receiver(part), receivers));
        for (const PlacedBox &other : found_)
            if (other.rank != here_ && meet(other.cells, receivers)) elsewhere.push_back(other.gid);
        into(part, false, sink);
    }
    std::sort(elsewhere.begin(), elsewhere.end());
    elsewhere.erase(std::unique(elsewhere.begin(), elsewhere.end()), elsewhere.end());
    for (const int64_t gid : elsewhere) {
        const PlacedBox part = source_.box_of(gid);
        look_at(around_receiver(part));
        into(part, true, sink);
    }
}

void BoxEdges::into(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink) {
    if (request_.flow == Flow::from_owner)
        from_owners(receiver, only_from_here, sink);
    else
        between_copies(receiver, only_from_here, sink);
}

void BoxEdges::send(const PlacedBox &sender, const PlacedBox &receiver, const halo_box &points, int32_t element, bool from_owner,
                    const EdgeSink &sink) {
    Edge edge;
    edge.send_gid = sender.gid;
    edge.send_rank = sender.rank;
    edge.receive_gid = receiver.gid;
    edge.receive_rank = receiver.rank;
    edge.identity = { element, sent_[element]++, 0 };
    edge.ends = ends_between(sender, receiver);
    edge.from_owner = from_owner;
    edge.send.box = relative(points, sender.origin());
    edge.receive.box = relative(points, receiver.origin());
    sink(edge);
}

void BoxEdges::from_owners(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink) {
    order_by_corner(receiver);
    if (!lie_as_before(receiver)) find_pieces(receiver);
    Edge edge;
    edge.receive_gid = receiver.gid;
    edge.receive_rank = receiver.rank;
    edge.from_owner = true;
    for (const Piece &piece : pieces_) {
        const PlacedBox &sender = found_[corners_[piece.sender].found];
        if (only_from_here && sender.rank != here_) continue;
        edge.send_gid = sender.gid;
        edge.send_rank = sender.rank;
        edge.identity = { piece.element, piece.number, 0 };
        edge.ends = ends_between(sender, receiver);
        edge.send.box = piece.send;
        edge.receive.box = piece.receive;
        sink(edge);
    }
}

// The same for surroundings that look the same, whatever their gids.
void BoxEdges::order_by_corner(const PlacedBox &receiver) {
    constexpr int bits = 21; // of a coordinate; if others differ in the rest, they are only not seen to be the same
    corners_.clear();
    for (uint32_t i = 0; i < found_.size(); ++i) {
        uint64_t corner = 0;
        for (int d = 2; d >= 0; --d) {
            const auto low = static_cast<uint64_t>(found_[i].cells.low[d] - receiver.cells.low[d]) + (uint64_t{ 1 } << (bits - 1));
            corner = corner << bits | (low & ((uint64_t{ 1 } << bits) - 1));
        }
        corners_.push_back({ corner, i });
    }
    std::sort(corners_.begin(), corners_.end(), [](const Corner &a, const Corner &b) { return a.place < b.place; });
}

bool BoxEdges::lie_as_before(const PlacedBox &receiver) const {
    if (around_.empty() || corners_.size() != around_.size() || !equal(relative(receiver.cells, receiver.origin()), own_)) return false;
    for (size_t i = 0; i < corners_.size(); ++i)
        if (!equal(relative(found_[corners_[i].found].cells, receiver.origin()), around_[i])) return false;
    return true;
}

// Element by element: among equal boxes that is the order in which the ghosts lie in memory.
void BoxEdges::find_pieces(const PlacedBox &receiver) {
    order_by_precedence();
    sort_by_element(receiver);
    pieces_.clear();
    depend_on_gids_ = may_have_images(receiver);
    for (int32_t element = 0; element < 27; ++element)
        if (!touching_[element].empty()) into_element(receiver, element);
    std::vector<uint32_t> by_corner(found_.size());
    for (uint32_t i = 0; i < corners_.size(); ++i) by_corner[corners_[i].found] = i;
    for (Piece &piece : pieces_) piece.sender = by_corner[order_[piece.sender]];
    around_.clear();
    if (depend_on_gids_) return;
    own_ = relative(receiver.cells, receiver.origin());
    for (const Corner &corner : corners_) around_.push_back(relative(found_[corner.found].cells, receiver.origin()));
}

// Of one box, two.
bool BoxEdges::may_have_images(const PlacedBox &receiver) const {
    halo_box all = receiver.cells;
    for (const PlacedBox &box : found_) all = hull(all, box.cells);
    const Extent period = source_.period();
    for (int d = 0; d < 3; ++d)
        if (period[d] > 0 && all.high[d] - all.low[d] > period[d]) return true;
    return false;
}

void BoxEdges::into_element(const PlacedBox &receiver, int32_t element) {
    const halo_box ghosts = points_of_element(ends_, element);
    senders_ = touching_[element];
    sort_by_gid(near_, true, senders_);
    int64_t last = -1;
    int32_t number = 0;
    for (const uint32_t place : senders_) {
        const PlacedBox &sender = near_[place];
        if (sender.same_place(receiver)) continue;
        if (sender.gid != last) number = 0;
        last = sender.gid;
        left_.assign(1, intersection(ghosts, owned(sender)));
        for (const uint32_t before : touching_[element]) {
            if (before >= place || left_.empty()) break;
            depend_on_gids_ = subtract(left_, owned(near_[before])) || depend_on_gids_;
        }
        depend_on_gids_ = depend_on_gids_ || element == interior; // who precedes whom
        for (const halo_box &points : left_)
            pieces_.push_back({ place, 26 - element, number++, relative(points, sender.origin()), relative(points, receiver.origin()) });
    }
}

// Within an element they stay in the order of precedence.
void BoxEdges::sort_by_element(const PlacedBox &receiver) {
    ends_ = ends_of(owned(receiver), request_.ghosts);
    for (std::vector<uint32_t> &places : touching_) places.clear();
    for (uint32_t place = 0; place < near_.size(); ++place)
        for (uint32_t rest = elements_met(ends_, owned(near_[place])) & wanted_; rest != 0; rest &= rest - 1)
            touching_[std::countr_zero(rest)].push_back(place);
}

// Bears the element of the sender's copy in its key, so that every receiver combines the copies of one part in the same order.
void BoxEdges::between_copies(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink) {
    order_by_precedence();
    order_senders(false);
    int64_t last = -1;
    for (const uint32_t place : senders_) {
        const PlacedBox &sender = near_[place];
        if (only_from_here && sender.rank != here_) continue;
        if (sender.gid != last) sent_.fill(0);
        last = sender.gid;
        between(sender, receiver, sink);
    }
}

void BoxEdges::between(const PlacedBox &sender, const PlacedBox &receiver, const EdgeSink &sink) {
    const halo_box both = intersection(with_ghosts(sender), with_ghosts(receiver));
    for (int32_t sent = 0; sent < 27 && !empty(both); ++sent) {
        const halo_box from = intersection(both, element_box(owned(sender), request_.ghosts, sent));
        if (empty(from) || !wanted(sent)) continue;
        for (int32_t received = 0; received < 27; ++received) {
            const halo_box region = intersection(from, element_box(owned(receiver), request_.ghosts, received));
            if (!empty(region) && wanted(received)) copies_of_region(sender, sent, receiver, received, region, sink);
        }
    }
}

// Points that nobody owns are no copies of anything; with HALO_SHARED_KEEP owned points are copies at their owner alone.
void BoxEdges::copies_of_region(const PlacedBox &sender, int32_t sent, const PlacedBox &receiver, int32_t received, const halo_box &region,
                                const EdgeSink &sink) {
    const bool keep = request_.shared == HALO_SHARED_KEEP;
    const bool to_itself = sender.same_place(receiver);
    std::vector<halo_box> left{ region };
    for (size_t i = 0; i < near_.size() && !left.empty(); ++i) {
        const PlacedBox &owner = near_[i];
        const bool from_owner = owner.same_place(sender);
        const bool takes_part = !(keep && sent == interior && !from_owner) && !(keep && received == interior && !owner.same_place(receiver));
        if (takes_part && !(to_itself && from_owner))
            for (const halo_box &some : left)
                if (const halo_box piece = intersection(some, owned(owner)); !empty(piece)) send(sender, receiver, piece, sent, from_owner, sink);
        subtract(left, owned(owner));
    }
}

void BoxEdges::mark_owned(int64_t gid, std::span<uint8_t> mask) {
    const PlacedBox part = source_.box_of(gid);
    look_at(around_receiver(part));
    left_.assign(1, owned(part));
    for (const PlacedBox &other : found_)
        if (precedes(other, part)) subtract(left_, owned(other));
    const halo_box all = relative(owned(part), part.origin());
    std::ranges::fill(mask, uint8_t{ 0 });
    for (const halo_box &some : left_) {
        const halo_box box = relative(some, part.origin());
        for (int64_t z = box.low[2]; z < box.high[2]; ++z)
            for (int64_t y = box.low[1]; y < box.high[1]; ++y)
                std::fill_n(mask.begin() + (z * all.high[1] + y) * all.high[0] + box.low[0], box.high[0] - box.low[0], uint8_t{ 1 });
    }
}

std::vector<halo_boundary> BoxEdges::boundaries(int64_t gid) {
    const PlacedBox part = source_.box_of(gid);
    look_at(around_receiver(part));
    order_by_precedence();
    std::vector<halo_boundary> found;
    for (int32_t element = 0; element < 27; ++element) {
        left_.assign(1, element_box(owned(part), request_.ghosts, element));
        if (element == interior || empty(left_[0])) continue;
        for (const PlacedBox &other : near_) subtract(left_, owned(other));
        for (const halo_box &piece : left_) found.push_back({ relative(piece, part.origin()), element, 0 });
    }
    return found;
}

} // namespace halo
