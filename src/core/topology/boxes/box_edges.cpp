// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/box_edges.h"

#include <algorithm>

#include "topology/boxes/box_calculus.h"

namespace halo {

namespace {

constexpr int32_t inside = 13; // the element of owned points

} // namespace

halo_box BoxEdges::owned(const PlacedBox &box) const { return points_of(box.cells, request_.centring); }

halo_box BoxEdges::with_ghosts(const PlacedBox &box) const { return grown(owned(box), request_.ghosts); }

// Which elements of a part take part at all.
bool BoxEdges::wanted(int32_t element) const {
    if (element == inside) return request_.shared != HALO_SHARED_KEEP || request_.flow == Flow::between_copies;
    return request_.shared != HALO_SHARED_ONLY && in_stencil(element, request_.stencil);
}

void BoxEdges::look_around(const PlacedBox &receiver) {
    const GhostWidths theirs = request_.flow == Flow::between_copies ? request_.ghosts : GhostWidths{};
    near_.clear();
    source_.boxes_near(cells_around(with_ghosts(receiver), request_.centring, theirs), near_);
    std::sort(near_.begin(), near_.end(), precedes);
}

void BoxEdges::order_senders(bool upwards) {
    senders_.resize(near_.size());
    for (size_t i = 0; i < near_.size(); ++i) senders_[i] = i;
    std::sort(senders_.begin(), senders_.end(), [&](size_t a, size_t b) {
        if (near_[a].gid != near_[b].gid) return near_[a].gid < near_[b].gid;
        return upwards ? lower_shift(near_[a].shift, near_[b].shift) : lower_shift(near_[b].shift, near_[a].shift);
    });
}

void BoxEdges::emit(const std::vector<int64_t> &local_parts, const EdgeSink &sink) {
    for (const int64_t gid : local_parts) into(source_.box_of(gid), false, sink);
    for (const int64_t gid : remote_receivers(local_parts)) into(source_.box_of(gid), true, sink);
}

// Parts of other ranks that may need something of a part here.
std::vector<int64_t> BoxEdges::remote_receivers(const std::vector<int64_t> &local_parts) {
    std::vector<int64_t> gids;
    for (const int64_t gid : local_parts) {
        const PlacedBox part = source_.box_of(gid);
        const halo_box has = request_.flow == Flow::between_copies ? with_ghosts(part) : owned(part);
        near_.clear();
        source_.boxes_near(cells_around(has, request_.centring, request_.ghosts), near_);
        for (const PlacedBox &other : near_)
            if (other.rank != here_) gids.push_back(other.gid);
    }
    std::sort(gids.begin(), gids.end());
    gids.erase(std::unique(gids.begin(), gids.end()), gids.end());
    return gids;
}

void BoxEdges::into(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink) {
    look_around(receiver);
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
    edge.recv_gid = receiver.gid;
    edge.recv_rank = receiver.rank;
    edge.element = element;
    edge.extra = sent_[element]++;
    edge.ends = sender.rank == receiver.rank ? EdgeEnds::local : receiver.rank == here_ ? EdgeEnds::receive : EdgeEnds::send;
    edge.from_owner = from_owner;
    edge.send.box = relative(points, sender.origin());
    edge.receive.box = relative(points, receiver.origin());
    sink(edge);
}

void BoxEdges::from_owners(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink) {
    order_senders(true);
    const halo_box own = owned(receiver);
    int64_t last = -1;
    for (const size_t place : senders_) {
        const PlacedBox &sender = near_[place];
        if (sender.same_place(receiver) || (only_from_here && sender.rank != here_)) continue;
        if (sender.gid != last) sent_.fill(0);
        last = sender.gid;
        for (int32_t element = 0; element < 27; ++element) {
            const halo_box region = intersection(element_box(own, request_.ghosts, element), owned(sender));
            if (empty(region) || !wanted(element)) continue;
            pieces_.assign(1, region);
            for (size_t before = 0; before < place && !pieces_.empty(); ++before) subtract(pieces_, owned(near_[before]));
            for (const halo_box &piece : pieces_) send(sender, receiver, piece, 26 - element, true, sink);
        }
    }
}

// Bears the element of the sender's copy in its key, so that every receiver combines the copies of one part in the same order.
void BoxEdges::between_copies(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink) {
    order_senders(false);
    int64_t last = -1;
    for (const size_t place : senders_) {
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
        const bool takes_part = !(keep && sent == inside && !from_owner) && !(keep && received == inside && !owner.same_place(receiver));
        if (takes_part && !(to_itself && from_owner))
            for (const halo_box &some : left)
                if (const halo_box piece = intersection(some, owned(owner)); !empty(piece)) send(sender, receiver, piece, sent, from_owner, sink);
        subtract(left, owned(owner));
    }
}

std::vector<halo_boundary> BoxEdges::boundaries(int64_t gid) {
    const PlacedBox part = source_.box_of(gid);
    look_around(part);
    std::vector<halo_boundary> found;
    for (int32_t element = 0; element < 27; ++element) {
        pieces_.assign(1, element_box(owned(part), request_.ghosts, element));
        if (element == inside || empty(pieces_[0])) continue;
        for (const PlacedBox &other : near_) subtract(pieces_, owned(other));
        for (const halo_box &piece : pieces_) found.push_back({ relative(piece, part.origin()), element, 0 });
    }
    return found;
}

} // namespace halo
