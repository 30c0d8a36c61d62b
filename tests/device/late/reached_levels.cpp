// SPDX-License-Identifier: BSD-3-Clause
#include "reached_levels.h"

#include <algorithm>

#include "level.h"
#include "value.h"

namespace late {

namespace {

// Where the device has the points of a box; nothing of them may lie beyond its memory.
bool reach_points(const Memory &memory, const halo_level_operation &of, const halo_box &points, halo_level_values &values) {
    int64_t low = 0, high = static_cast<int64_t>(halo::device::value_bytes(of.type));
    const auto widen = [&](int64_t stride, int64_t first, int64_t last) {
        low += std::min(stride * first, stride * last);
        high += std::max(stride * first, stride * last);
    };
    for (int d = 0; d < 3; ++d) widen(values.stride[d], points.low[d], points.high[d] - 1);
    widen(values.component_stride, 0, of.n_components - 1);
    auto *const reached = static_cast<char *>(memory.reach(static_cast<char *>(values.first) + low, static_cast<size_t>(high - low)));
    values.first = reached ? reached - low : nullptr;
    return reached != nullptr;
}

} // namespace

// The points that an operation of the late device reaches, of values on the finer level and on the coarser one.
bool reach_values(const Memory &memory, halo_level_operation &of) {
    const bool makes_coarse = of.what == HALO_LEVEL_RESTRICT || of.what == HALO_LEVEL_DIVIDE;
    halo_box fine = of.points, coarse = of.points;
    for (int d = 0; d < 3; ++d) {
        const int64_t ratio = of.ratio[d], between = of.centring >> d & 1;
        if (makes_coarse) {
            fine.low[d] = coarse.low[d] * ratio;
            fine.high[d] = between ? (coarse.high[d] - 1) * ratio + 1 : coarse.high[d] * ratio;
            continue;
        }
        const auto below = [&](int64_t point) { return (point - (point % ratio + ratio) % ratio) / ratio; };
        const int64_t around = between ? 0 : of.linear && ratio > 1 ? 1 : 0;
        coarse.low[d] = below(fine.low[d]) - around;
        coarse.high[d] = below(fine.high[d] - 1 + (between && ratio > 1 ? 1 : 0)) + 1 + around;
    }
    const auto reach = [&](int v, const halo_box &points) { return reach_points(memory, of, points, of.values[v]); };
    const halo_box of_its_own = of.points;
    switch (of.what) {
    case HALO_LEVEL_RESTRICT: return reach(0, fine) && reach(1, of_its_own);
    case HALO_LEVEL_PROLONGATE: return reach(0, coarse) && reach(1, of_its_own);
    case HALO_LEVEL_MIX: return reach(0, of_its_own) && reach(1, of_its_own) && reach(2, of_its_own);
    default:
        for (int d = 0; d < halo::device::n_values(of); ++d) {
            halo_box faces = fine;
            ++faces.high[d];
            if (!reach(d, faces)) return false;
        }
        return true;
    }
}

} // namespace late
