// SPDX-License-Identifier: BSD-3-Clause
#include "topology/points/slots.h"

#include <algorithm>
#include <tuple>

namespace halo {

namespace {

// Calls visit(edge number, point) for the owned points that edges from copies name.
template <class Visit>
void for_each_copy(std::span<const Edge> edges, Visit &&visit) {
    for (size_t e = 0; e < edges.size(); ++e) {
        const Region &owned = edges[e].receive;
        for (int64_t i = 0; i < owned.size(); ++i)
            visit(e, owned.listed ? owned.points[static_cast<size_t>(i)] : static_cast<uint32_t>(owned.box.low[0] + i));
    }
}

} // namespace

Slots::Slots(const PointsTopology &of) : points(of), parts(of.local_parts().size()) {
    of.edges({}, [&](const Edge &edge) {
        if (edge.contributes) edges.push_back(reversed(edge));
    });
    // By owner; then as contributions are combined.
    std::sort(edges.begin(), edges.end(),
              [](const Edge &a, const Edge &b) { return std::tie(a.recv_gid, a.send_gid, a.extra) < std::tie(b.recv_gid, b.send_gid, b.extra); });
    lists_.reserve(edges.size());
    for (size_t p = 0; p < parts.size(); ++p) {
        const auto [begin, end] = std::equal_range(edges.begin(), edges.end(), of.local_parts()[p], [](const auto &a, const auto &b) {
            if constexpr (std::is_same_v<std::decay_t<decltype(a)>, Edge>)
                return a.recv_gid < b;
            else
                return a < b.recv_gid;
        });
        number(parts[p], of.cells(static_cast<int64_t>(p))[0], { begin, end });
    }
    for (Edge &edge : edges) {
        edge.recv_gid = gid_of(edge.recv_gid);
        edge.from_owner = true;
    }
}

// Edges that are heard get their slots in place of the points.
void Slots::number(PartSlots &part, int64_t n_points, std::span<Edge> heard) {
    std::vector<uint32_t> n_copies(static_cast<size_t>(n_points), 0);
    for_each_copy(heard, [&](size_t, uint32_t point) { ++n_copies[point]; });
    auto end = static_cast<uint32_t>(std::count(n_copies.begin(), n_copies.end(), 1U));
    part.first.push_back(end);
    std::vector<uint32_t> next(n_copies.size());
    for (uint32_t point = 0; point < n_copies.size(); ++point) {
        if (n_copies[point] < 2) continue;
        next[point] = end;
        part.several.push_back(point);
        part.first.push_back(end += n_copies[point]);
    }
    std::vector<PointList> lists(heard.size());
    uint32_t single = 0;
    for_each_copy(heard, [&](size_t edge, uint32_t point) {
        if (n_copies[point] == 1) part.single.add(point);
        lists[edge].add(n_copies[point] == 1 ? single++ : next[point]++);
    });
    part.single.close();
    for (size_t e = 0; e < heard.size(); ++e) {
        lists[e].close();
        lists_.push_back(std::move(lists[e]));
        heard[e].receive = lists_.back().region();
    }
}

SlotsTopology::SlotsTopology(const Slots &slots, bool back) : Topology(slots.points.context()), slots_(slots), back_(back) {
    local_parts_ = slots.points.local_parts();
    for (const int64_t gid : slots.points.local_parts()) local_parts_.push_back(slots.gid_of(gid));
}

halo_part SlotsTopology::part(int64_t gid) const {
    halo_part part = slots_.points.part(gid % slots_.points.n_parts());
    part.gid = gid;
    part.cells.high[0] = cells_of(gid)[0];
    return part;
}

Extent SlotsTopology::cells(int64_t local_index) const {
    const auto n = std::ssize(slots_.parts);
    return local_index < n ? slots_.points.cells(local_index) : Extent{ slots_.parts[static_cast<size_t>(local_index - n)].size(), 1, 1 };
}

Extent SlotsTopology::cells_of(int64_t gid) const {
    const int64_t local = local_index(gid);
    return local < 0 ? Extent{ 0, 1, 1 } : cells(local);
}

void SlotsTopology::edges(const EdgeRequest &, const EdgeSink &sink) const {
    for (Edge edge : slots_.edges) {
        if (back_) edge = reversed(edge);
        edge.from_owner = true;
        sink(edge);
    }
}

} // namespace halo
