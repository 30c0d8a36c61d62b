// SPDX-License-Identifier: BSD-3-Clause
#include "topology/points/slots.h"

#include <algorithm>
#include <tuple>

namespace halo {

namespace {

uint32_t point_of(const Region &region, int64_t i) {
    return region.listed ? region.points[static_cast<size_t>(i)] : static_cast<uint32_t>(region.box.low[0] + i);
}

// From copies to owned points; by owner, then as contributions are combined.
std::vector<Edge> edges_of(const PointsTopology &points) {
    std::vector<Edge> edges;
    points.edges({}, [&](const Edge &edge) {
        if (edge.contributes) edges.push_back(reversed(edge));
    });
    std::sort(edges.begin(), edges.end(), [](const Edge &a, const Edge &b) {
        return std::tie(a.receive_gid, a.send_gid, a.identity.tag) < std::tie(b.receive_gid, b.send_gid, b.identity.tag);
    });
    return edges;
}

Region run_of(int64_t first, int64_t n) { return { { { first, 0, 0 }, { first + n, 1, 1 } }, {}, false }; }

// Long runs of points that follow each other on both sides need no lists.
void add_stretches(PartSlots &part, const PartSlots::Stretch &whole) {
    constexpr int64_t long_run = 32; // points, on average
    const int64_t n = whole.points.size();
    const auto follows = [](const Region &region, int64_t i) { return point_of(region, i) == point_of(region, i - 1) + 1; };
    std::vector<int64_t> begins;
    for (int64_t i = 0; i < n; ++i)
        if (i == 0 || !follows(whole.points, i) || !follows(whole.copies, i)) begins.push_back(i);
    if (std::ssize(begins) * long_run > n) return part.stretches.push_back(whole);
    begins.push_back(n);
    for (size_t r = 0; r + 1 < begins.size(); ++r) {
        const int64_t some = begins[r + 1] - begins[r];
        part.stretches.push_back({ run_of(point_of(whole.points, begins[r]), some), run_of(point_of(whole.copies, begins[r]), some), whole.here });
    }
}

// Lists in the order of the copies, if this leaves the copies of every point in their order: there may be fewer points, which stay in the cache.
bool sort_by_copies(const PartSlots::Stretch &stretch, int64_t n_points, PointList &points, PointList &copies) {
    std::vector<uint32_t> latest(static_cast<size_t>(n_points), 0); // copy of each point
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (int64_t i = 0; i < stretch.points.size(); ++i) {
        const uint32_t point = point_of(stretch.points, i), copy = point_of(stretch.copies, i);
        if (copy < latest[point]) return false;
        latest[point] = copy;
        pairs.emplace_back(copy, point);
    }
    std::sort(pairs.begin(), pairs.end());
    for (const auto &[copy, point] : pairs) {
        copies.add(copy);
        points.add(point);
    }
    copies.close();
    points.close();
    return true;
}

} // namespace

Slots::Slots(const PointsTopology &of, bool here) : points(of), parts(of.local_parts().size()), edges(edges_of(of)) {
    const auto has_slots = [&](const Edge &edge) { return !here || edge.send_gid != edge.receive_gid; };
    for (Edge &edge : edges) {
        const int64_t part = of.local_index(edge.receive_gid);
        if (part >= 0) add(parts[static_cast<size_t>(part)], edge, !has_slots(edge), of.cells(part)[0]);
    }
    std::erase_if(edges, [&](const Edge &edge) { return !has_slots(edge); });
    for (Edge &edge : edges) edge.from_owner = true;
}

void Slots::add(PartSlots &part, Edge &heard, bool here, int64_t n_points) {
    PartSlots::Stretch stretch{ heard.receive, heard.send, here };
    if (here) {
        PointList by_copies, copies;
        if (sort_by_copies(stretch, n_points, by_copies, copies)) {
            stretch = { by_copies.region(), copies.region(), here };
            lists_.push_back(std::move(by_copies));
            lists_.push_back(std::move(copies));
        }
    } else {
        stretch.copies = heard.receive = run_of(part.size, heard.receive.size());
        part.size += heard.receive.size();
    }
    add_stretches(part, stretch);
}

SlotsTopology::SlotsTopology(const PointsTopology &points, bool here) : Topology(points.context()), here_(here), slots_(points, here) {
    local_parts_ = points.local_parts();
}

halo_part SlotsTopology::part(int64_t gid) const {
    halo_part part = slots_.points.part(gid);
    part.cells.high[0] = cells_of(gid)[0];
    return part;
}

Extent SlotsTopology::cells_of(int64_t gid) const {
    const int64_t local = local_index(gid);
    return local < 0 ? Extent{ 0, 1, 1 } : cells(local);
}

} // namespace halo
