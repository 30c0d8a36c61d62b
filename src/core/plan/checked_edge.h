// SPDX-License-Identifier: BSD-3-Clause
// Check mode: an edge as plain boxes, so that what the table's rows did can be looked at without them.
#pragma once

#include <vector>

#include "plan/field_edge.h"

namespace halo {

struct CheckedEdge {
    halo_channel_key key{};
    int32_t field = 0; // that receives, position among the plan's
    int32_t source_field = 0;
    int32_t place = 0;
    int32_t send_rank = 0;
    bool hashed = false; // dense, and moved as it is: ghosts hold exactly what was sent
    int64_t n_points = 0;
    std::vector<BoxCopy> source;  // where this rank sends: the side of the part counts
    std::vector<BoxCopy> target;  // where this rank receives: one box
    std::array<int64_t, 3> low{}; // first point that receives
};

CheckedEdge checked(const FieldEdge &edge, const EdgeBoxes &boxes, bool combines);

// Calls visit(number, x, y, z) for every point of a box, x fastest.
template <class Visit>
void for_each_point(const BoxCopy &box, Visit &&visit) {
    int64_t number = 0;
    for (int64_t z = 0; z < box.n[2]; ++z)
        for (int64_t y = 0; y < box.n[1]; ++y)
            for (int64_t x = 0; x < box.n[0]; ++x) visit(number++, x, y, z);
}

inline int64_t source_offset(const BoxCopy &box, int64_t x, int64_t y, int64_t z) {
    return box.src_offset + (box.src_list ? box.src_list[x] : x) * box.src_stride[0] + y * box.src_stride[1] + z * box.src_stride[2];
}
inline int64_t target_offset(const BoxCopy &box, int64_t x, int64_t y, int64_t z) {
    return box.dst_offset + (box.dst_list ? box.dst_list[x] : x) * box.dst_stride[0] + y * box.dst_stride[1] + z * box.dst_stride[2];
}

} // namespace halo
