// SPDX-License-Identifier: BSD-3-Clause
// Where the edges between two ranks lie in their message. Both ends compute it alike, from what both know of an edge.
#pragma once

#include <vector>

#include "plan/field_edge.h"

namespace halo {

// Sorts the dense edges of one direction and places them behind each other. Boxes that lie side by side along x in the receiver's ghosts
// interleave, so that their lines are one run there: they form a group of up to `most` edges. Returns the bytes of all.
int64_t place_in_order(const EdgeBoxes &boxes, uint32_t base, size_t most, std::vector<FieldEdge> &edges, std::vector<Placement> &placements);

// Alignment of edges within a payload, in bytes.
inline constexpr int64_t edge_alignment(int64_t element_bytes) {
    return element_bytes % 16 == 0 ? 16 : element_bytes % 8 == 0 ? 8 : element_bytes % 4 == 0 ? 4 : 1;
}
inline constexpr int64_t align_up(int64_t value, int64_t alignment) { return (value + alignment - 1) / alignment * alignment; }

} // namespace halo
