// SPDX-License-Identifier: BSD-3-Clause
// Where the edges between two ranks lie in their message. Both ends compute it alike, from what both know of an edge.
#pragma once

#include <span>
#include <vector>

#include "plan/edge_boxes.h"

namespace halo {

// PlacedEdges::sort: by place, part that receives, and its ghost rows.

// Places edges in this order behind each other. Boxes that lie side by side along x in the receiver's ghosts interleave, so that their lines are one
// run there: they form a group of up to `most` edges. Calls place(edge, placement) for each; returns the bytes of all.
template <class Place>
int64_t place_in_order(const EdgeBoxes &boxes, uint32_t base, size_t most, std::span<const PlacedEdge> edges, Place &&place);

// Alignment of edges within a payload, in bytes.
inline constexpr int64_t edge_alignment(int64_t element_bytes) {
    return element_bytes % 16 == 0 ? 16 : element_bytes % 8 == 0 ? 8 : element_bytes % 4 == 0 ? 4 : 1;
}
inline constexpr int64_t align_up(int64_t value, int64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

// Do the ghosts of `right` go on where those of `left` end, in the same rows?
bool adjoins(const PlacedEdge &left, const PlacedEdge &right);

template <class Place>
int64_t place_in_order(const EdgeBoxes &boxes, uint32_t base, size_t most, std::span<const PlacedEdge> edges, Place &&place) {
    const int64_t unit = boxes.element_bytes();
    int64_t bytes = 0;
    int64_t group = 0;
    for (size_t first = 0, end; first < edges.size(); first = end, ++group) {
        int64_t line = 0; // bytes of one line of all edges of the group
        for (end = first; end < edges.size() && end - first < most && (end == first || (boxes.has_cells() && adjoins(edges[end - 1], edges[end])));
             ++end)
            line += edges[end].n[0] * unit;
        bytes = align_up(bytes, edge_alignment(unit));
        int64_t offset = bytes;
        for (size_t i = first; i < end; ++i) {
            Placement placement = boxes.dense(edges[i], base, offset);
            if (end - first > 1) {
                placement.stride[1] = line;
                placement.stride[2] = line * edges[i].n[1];
                placement.stride[3] = placement.stride[2] * edges[i].n[2];
            }
            placement.group = group;
            place(edges[i], placement);
            offset += edges[i].n[0] * unit;
            bytes += boxes.bytes(edges[i]);
        }
    }
    return bytes;
}

} // namespace halo
