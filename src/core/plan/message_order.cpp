// SPDX-License-Identifier: BSD-3-Clause
#include "plan/message_order.h"

#include <algorithm>
#include <tuple>

namespace halo {

namespace {

auto part_of(const PlacedEdge &edge) { return std::tie(edge.place, edge.receive_gid); }

// Ghost rows: equal in edges that may lie side by side.
auto rows_of(const PlacedEdge &edge) { return std::tie(edge.low[2], edge.n[2], edge.low[1], edge.n[1]); }

// Where parts are lists of points, senders do not know where these lie.
bool in_order(const PlacedEdge &a, const PlacedEdge &b, bool has_cells) {
    if (part_of(a) != part_of(b)) return part_of(a) < part_of(b);
    if (!has_cells) return key_before(a, b);
    if (rows_of(a) != rows_of(b)) return rows_of(a) < rows_of(b);
    return a.low[0] != b.low[0] ? a.low[0] < b.low[0] : key_before(a, b);
}

} // namespace

bool adjoins(const PlacedEdge &left, const PlacedEdge &right) {
    return part_of(left) == part_of(right) && rows_of(left) == rows_of(right) && left.low[0] + left.n[0] == right.low[0];
}

namespace {

// Topologies emit edges part by part, and those of a part often in the order of its ghosts, so most of the order is there already.
void sort_for_messages(std::vector<PlacedEdge> &edges, bool has_cells) {
    const auto order = [&](const PlacedEdge &a, const PlacedEdge &b) { return in_order(a, b, has_cells); };
    const auto by_part = [](const PlacedEdge &a, const PlacedEdge &b) { return part_of(a) < part_of(b); };
    if (std::is_sorted(edges.begin(), edges.end(), order)) return;
    if (!std::is_sorted(edges.begin(), edges.end(), by_part)) return std::sort(edges.begin(), edges.end(), order);
    for (auto first = edges.begin(), end = first; first != edges.end(); first = end) {
        while (end != edges.end() && part_of(*end) == part_of(*first)) ++end;
        std::sort(first, end, order);
    }
}

} // namespace

void PlacedEdges::sort(bool has_cells) {
    sort_for_messages(local, has_cells);
    for (Link &link : links) {
        sort_for_messages(link.send, has_cells);
        sort_for_messages(link.receive, has_cells);
    }
}

} // namespace halo
