// SPDX-License-Identifier: BSD-3-Clause
#include "topology/points/slots.h"

#include <algorithm>
#include <numeric>

namespace halo {

namespace {

// Lists of copies that contribute: visit(key, list).
template <class Visit>
void for_each_list(const std::map<std::pair<int32_t, int64_t>, PointList> &side, Visit &&visit) {
    for (const auto &[key, list] : side)
        if (edge_kind(key.second) == edge_to_copies) visit(key, list);
}

} // namespace

Slots::Slots(const PointsTopology &of) : points(of) {
    std::vector<uint32_t> heard; // owned points in the order of contributions
    for_each_list(of.forward().send, [&](const auto &, const PointList &list) {
        for (int64_t i = 0; i < list.size(); ++i) heard.push_back(list[i]);
    });
    std::vector<uint32_t> order(heard.size()), slot(heard.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return heard[a] < heard[b]; });
    for (uint32_t s = 0; s < order.size(); ++s) {
        owned.push_back(heard[order[s]]);
        slot[order[s]] = s;
    }
    const uint32_t *next = slot.data();
    for_each_list(of.forward().send, [&](const auto &key, const PointList &list) {
        of_edge[key].add({ next, static_cast<size_t>(list.size()) });
        of_edge[key].close();
        next += list.size();
    });
}

SlotsTopology::SlotsTopology(const Slots &slots, bool back) : Topology(slots.points.context()), slots_(slots), back_(back) {
    local_parts_ = { context_.rank(), int64_t{ context_.size() } + context_.rank() };
}

halo_part SlotsTopology::part(int64_t gid) const {
    halo_part part = HALO_PART_INIT;
    part.rank = static_cast<int32_t>(gid % context_.size());
    part.gid = gid;
    part.n_dims = 1;
    part.cells = { { 0, 0, 0 }, { cells_of(gid)[0], 1, 1 } };
    return part;
}

Extent SlotsTopology::cells_of(int64_t gid) const {
    const int64_t local = local_index(gid);
    return local < 0 ? Extent{ 0, 1, 1 } : cells(local);
}

void SlotsTopology::emit(Edge edge, const EdgeSink &sink) const {
    if (back_) edge = reversed(edge);
    edge.from_owner = true;
    sink(edge);
}

void SlotsTopology::edges(const EdgeRequest &, const EdgeSink &sink) const {
    const int32_t rank = context_.rank();
    const auto edge_of = [&](int32_t from, int32_t to, int64_t extra, EdgeEnds ends, int64_t n) {
        Edge edge;
        edge.send_gid = edge.send_rank = from;
        edge.recv_rank = to;
        edge.recv_gid = int64_t{ context_.size() } + to;
        edge.extra = extra;
        edge.ends = ends;
        edge.send = edge.receive = PointList::region_of(n);
        return edge;
    };
    const auto &copies = slots_.points.forward().receive;
    for (const auto &[key, list] : slots_.of_edge) {
        Edge edge = edge_of(key.first, rank, key.second, key.first == rank ? EdgeEnds::local : EdgeEnds::receive, list.size());
        edge.receive = list.region();
        if (key.first == rank) edge.send = copies.at(key).region();
        emit(edge, sink);
    }
    for_each_list(copies, [&](const auto &key, const PointList &list) {
        if (key.first == rank) return;
        Edge edge = edge_of(rank, key.first, key.second, EdgeEnds::send, list.size());
        edge.send = list.region();
        emit(edge, sink);
    });
}

} // namespace halo
