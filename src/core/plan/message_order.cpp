// SPDX-License-Identifier: BSD-3-Clause
#include "plan/message_order.h"

#include <algorithm>
#include <tuple>

#include "stream/wire_edge.h"

namespace halo {

namespace {

// Edges that are equal in this lie in the same ghost rows. Where parts are lists of points, senders do not know where these lie.
auto rows_of(const FieldEdge &edge) {
    const halo_box &box = edge.edge.receive.box;
    return std::tie(edge.destination, edge.place, edge.edge.recv_gid, box.low[2], box.high[2], box.low[1], box.high[1]);
}

bool in_order(const EdgeBoxes &boxes, const FieldEdge &a, const FieldEdge &b) {
    const auto left = rows_of(a);
    const auto right = rows_of(b);
    if (left != right) return left < right;
    if (!boxes.has_cells(a)) return before(a.key, b.key);
    const int64_t x_left = a.edge.receive.box.low[0];
    const int64_t x_right = b.edge.receive.box.low[0];
    return x_left != x_right ? x_left < x_right : before(a.key, b.key);
}

bool adjoins(const EdgeBoxes &boxes, const FieldEdge &left, const FieldEdge &right) {
    return boxes.has_cells(left) && rows_of(left) == rows_of(right) && left.edge.receive.box.high[0] == right.edge.receive.box.low[0];
}

} // namespace

int64_t place_in_order(const EdgeBoxes &boxes, uint32_t base, size_t most, std::vector<FieldEdge> &edges, std::vector<Placement> &placements) {
    std::sort(edges.begin(), edges.end(), [&](const FieldEdge &a, const FieldEdge &b) { return in_order(boxes, a, b); });
    placements.clear();
    int64_t bytes = 0;
    int64_t group = 0;
    for (size_t first = 0, end; first < edges.size(); first = end, ++group) {
        int64_t line = 0; // bytes of one line of all edges of the group
        for (end = first; end < edges.size() && end - first < most && (end == first || adjoins(boxes, edges[end - 1], edges[end])); ++end)
            line += boxes.extent(edges[end], 0) * boxes.element_bytes(edges[end]);
        const int64_t begin = align_up(bytes, edge_alignment(boxes.element_bytes(edges[first])));
        bytes = begin;
        int64_t offset = begin;
        for (size_t i = first; i < end; ++i) {
            Placement placement = boxes.dense(edges[i], base, offset);
            if (end - first > 1) {
                placement.stride[1] = line;
                placement.stride[2] = line * boxes.extent(edges[i], 1);
                placement.stride[3] = placement.stride[2] * boxes.extent(edges[i], 2);
            }
            placement.group = group;
            placements.push_back(placement);
            offset += boxes.extent(edges[i], 0) * boxes.element_bytes(edges[i]);
            bytes += boxes.bytes(edges[i]);
        }
    }
    return bytes;
}

} // namespace halo
