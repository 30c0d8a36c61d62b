// SPDX-License-Identifier: BSD-3-Clause
#include "plan/placed_edge.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/checked.h"
#include "base/error.h"

namespace halo {

namespace {

int32_t narrowed(int64_t value, const Edge &edge) {
    if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max())
        fail(HALO_ERR_BOUNDS, "a channel from part %lld to part %lld has coordinate or length %lld: at most 2^31 - 1 per direction",
             static_cast<long long>(edge.send_gid), static_cast<long long>(edge.receive_gid), static_cast<long long>(value));
    return static_cast<int32_t>(value);
}

} // namespace

PlacedEdge PlacedEdges::resized(PlacedEdge placed, const Edge &edge) const {
    const halo_box &to = edge.receive.box;
    const halo_box &from = edge.send.box;
    for (size_t d = 0; d < 3; ++d) {
        placed.n[d] = narrowed(to.high[d] - to.low[d], edge);
        placed.low[d] = narrowed(to.low[d], edge);
        placed.from[d] = narrowed(from.low[d], edge);
    }
    return placed;
}

PlacedEdge PlacedEdges::place(const Edge &edge, int32_t send_part, int32_t recv_part, EdgePlaces places, const EdgeLists *lists) {
    PlacedEdge placed{};
    placed.send_gid = edge.send_gid;
    placed.receive_gid = edge.receive_gid;
    placed.tag = edge.identity.tag;
    placed.piece = edge.identity.piece;
    placed.send_part = send_part;
    placed.recv_part = recv_part;
    placed.lists = -1;
    placed.turn = turn_number(edge.map);
    placed.element = static_cast<uint8_t>(edge.identity.element) & 31;
    placed.from_owner = edge.from_owner;
    placed.place = static_cast<uint8_t>(places.receive);
    placed.send_place = static_cast<uint8_t>(places.send);
    placed = resized(placed, edge);
    if (!lists) return placed;
    placed.lists = static_cast<int32_t>(lists_.size());
    placed.n = { narrowed(edge.receive.size(), edge), 1, 1 };
    lists_.push_back(*lists);
    return placed;
}

void PlacedEdges::add(int32_t peer, EdgeEnds ends, const PlacedEdge &edge) {
    const bool is_local = ends == EdgeEnds::local, sends = ends == EdgeEnds::send;
    Link *const at = is_local ? nullptr : &link(peer);
    (is_local ? local : sends ? at->send : at->receive).push_back(edge);
    Checked &points = is_local ? local_points : sends ? at->points_sent : at->points_received;
    points = points + edge.n_points();
}

PlacedEdges::Link &PlacedEdges::link(int32_t peer) {
    auto at = std::lower_bound(links.begin(), links.end(), peer, [](const Link &one, int32_t rank) { return one.peer < rank; });
    if (at == links.end() || at->peer != peer) at = links.insert(at, { peer, {}, {}, 0, 0 });
    return *at;
}

std::span<const uint32_t> PlacedEdges::keep(std::span<const uint32_t> points) {
    const auto &kept = kept_.emplace_back(points.begin(), points.end());
    return { kept.data(), kept.size() };
}

uint8_t PlacedEdges::turn_number(const AxisMap &map) {
    if (map.is_identity()) return 0;
    const auto known = std::find(turns_.begin(), turns_.end(), map);
    if (known != turns_.end()) return static_cast<uint8_t>(known - turns_.begin());
    check_limit("turns of index spaces and vectors against each other", std::ssize(turns_), UINT8_MAX);
    turns_.push_back(map);
    return static_cast<uint8_t>(turns_.size() - 1);
}

Edge PlacedEdges::edge_of(const PlacedEdge &placed) const {
    Edge edge;
    edge.send_gid = placed.send_gid;
    edge.receive_gid = placed.receive_gid;
    edge.identity = placed.identity();
    edge.from_owner = placed.from_owner;
    edge.map = turn_of(placed);
    for (size_t d = 0; d < 3; ++d) {
        edge.receive.box.low[d] = placed.low[d];
        edge.receive.box.high[d] = int64_t{ placed.low[d] } + placed.n[d];
        const auto there = static_cast<size_t>(edge.map.axis[d]);
        edge.send.box.low[there] = placed.from[there];
        edge.send.box.high[there] = int64_t{ placed.from[there] } + placed.n[d];
    }
    return edge;
}

PlacedEdges PlacedEdges::emptied() const {
    PlacedEdges empty;
    for (const Link &one : links) empty.links.push_back({ one.peer, {}, {}, 0, 0 });
    empty.turns_ = turns_;
    empty.lists_ = lists_;
    return empty;
}

bool key_before(const PlacedEdge &a, const PlacedEdge &b) {
    const auto key = [](const PlacedEdge &edge) {
        return std::tuple(edge.send_gid, edge.receive_gid, int32_t{ edge.element }, edge.place, edge.tag, edge.piece);
    };
    return key(a) < key(b);
}

size_t PlacedEdges::bytes() const {
    size_t edges = local.size(), points = 0;
    for (const Link &link : links) edges += link.send.size() + link.receive.size();
    for (const std::vector<uint32_t> &kept : kept_) points += kept.size();
    return edges * sizeof(PlacedEdge) + lists_.size() * sizeof(EdgeLists) + points * sizeof(uint32_t);
}

} // namespace halo
