// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/transfer_edges.h"

#include <algorithm>

#include "topology/boxes/box_calculus.h"

namespace halo {

halo_box TransferEdges::owned(const PlacedBox &box) const { return points_of(box.cells, request_.centring); }

halo_box TransferEdges::with_ghosts(const PlacedBox &box) const { return grown(owned(box), request_.source); }

void TransferEdges::emit(const std::vector<int64_t> &local_sources, const std::vector<int64_t> &local_destinations, const EdgeSink &sink) const {
    for (const int64_t gid : local_destinations) into(destination_.box_of(gid), false, sink);
    for (const int64_t gid : remote_receivers(local_sources)) into(destination_.box_of(gid), true, sink);
}

std::vector<int64_t> TransferEdges::remote_receivers(const std::vector<int64_t> &local_sources) const {
    std::vector<int64_t> gids;
    std::vector<PlacedBox> near;
    for (const int64_t gid : local_sources) {
        near.clear();
        destination_.boxes_near(cells_around(with_ghosts(source_.box_of(gid)), request_.centring, request_.destination), near);
        for (const PlacedBox &box : near)
            if (box.rank != here_) gids.push_back(box.gid);
    }
    std::sort(gids.begin(), gids.end());
    gids.erase(std::unique(gids.begin(), gids.end()), gids.end());
    return gids;
}

std::vector<halo_box> TransferEdges::provided(const std::vector<PlacedBox> &near, size_t place, const halo_box &wanted) const {
    std::vector<halo_box> all{ intersection(wanted, with_ghosts(near[place])) };
    if (empty(all[0])) return {};
    if (request_.all) return all;
    std::vector<halo_box> own{ intersection(wanted, owned(near[place])) };
    if (empty(own[0])) own.clear();
    for (size_t i = 0; i < near.size(); ++i) {
        subtract(all, owned(near[i]));
        if (i >= place) continue;
        subtract(all, with_ghosts(near[i]));
        subtract(own, owned(near[i]));
    }
    own.insert(own.end(), all.begin(), all.end());
    return own;
}

std::vector<halo_box> TransferEdges::wanted_by(const PlacedBox &receiver, const halo_box &all) const {
    if (!request_.wanted) return { all };
    std::vector<halo_box> boxes = request_.wanted(receiver.gid);
    for (halo_box &box : boxes) box = shifted(box, receiver.origin());
    return boxes;
}

void TransferEdges::into(const PlacedBox &receiver, bool only_from_here, const EdgeSink &sink) const {
    const halo_box all = grown(owned(receiver), request_.destination);
    std::vector<PlacedBox> near;
    source_.boxes_near(cells_around(all, request_.centring, request_.source), near);
    std::sort(near.begin(), near.end(), precedes);
    const std::vector<halo_box> wanted = wanted_by(receiver, all);
    std::vector<size_t> senders;
    for (size_t i = 0; i < near.size(); ++i)
        if (!only_from_here || near[i].rank == here_) senders.push_back(i);
    std::sort(senders.begin(), senders.end(),
              [&](size_t a, size_t b) { return near[a].gid != near[b].gid ? near[a].gid < near[b].gid : lower_shift(near[b].shift, near[a].shift); });
    Edge edge;
    edge.receive_gid = receiver.gid;
    edge.receive_rank = receiver.rank;
    edge.from_owner = false;
    int64_t last = -1;
    for (const size_t place : senders) {
        const PlacedBox &sender = near[place];
        if (sender.gid != last) edge.identity.piece = 0;
        last = edge.send_gid = sender.gid;
        edge.send_rank = sender.rank;
        edge.ends = ends_on(here_, sender.rank, receiver.rank);
        for (const halo_box &points : wanted)
            for (const halo_box &piece : provided(near, place, points)) {
                edge.send.box = relative(piece, sender.origin());
                edge.receive.box = relative(piece, receiver.origin());
                sink(edge);
                ++edge.identity.piece;
            }
    }
}

} // namespace halo
