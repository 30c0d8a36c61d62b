// SPDX-License-Identifier: BSD-3-Clause
#include "level.h"

#include <cstdint>

namespace halo::device {

namespace {

// Steps are whole numbers of values, and points begin where such may lie.
bool lies_well(const halo_level_values &values, size_t bytes) {
    const auto size = static_cast<int64_t>(bytes);
    for (const int64_t stride : values.stride)
        if (stride % size != 0) return false;
    return values.component_stride % size == 0 && reinterpret_cast<uintptr_t>(values.first) % bytes == 0;
}

} // namespace

int n_refined(const halo_level_operation &of) { return of.ratio[2] > 1 ? 3 : of.ratio[1] > 1 ? 2 : 1; }

bool is_halves(const halo_level_operation &of) {
    for (int d = 0; d < 3; ++d)
        if (of.ratio[d] != (d < n_refined(of) ? 2 : 1)) return false;
    return true;
}

int n_values(const halo_level_operation &of) {
    switch (of.what) {
    case HALO_LEVEL_DIVIDE: return n_refined(of);
    case HALO_LEVEL_MIX: return 3;
    default: return 2;
    }
}

size_t real_bytes(halo_type type) {
    switch (type) {
    case HALO_FLOAT32:
    case HALO_COMPLEX64: return sizeof(float);
    case HALO_FLOAT64:
    case HALO_COMPLEX128: return sizeof(double);
    default: return 0;
    }
}

const char *problem_of(const halo_level_operation &of) {
    if (of.what < HALO_LEVEL_RESTRICT || of.what > HALO_LEVEL_MIX) return "`what` is none of HALO_LEVEL_...";
    if (real_bytes(of.type) == 0) return "values of the type have no means";
    if (of.n_components < 1) return "no components";
    if (of.centring < HALO_CENTRE_CELL || of.centring > HALO_CENTRE_NODE) return "`centring` is none of one place";
    for (const int32_t ratio : of.ratio)
        if (ratio < 1) return "a ratio below 1";
    const int32_t between = of.centring & ((1 << n_refined(of)) - 1);
    const bool divides = of.what == HALO_LEVEL_DIVIDE, interpolates = of.what == HALO_LEVEL_PROLONGATE && between != 0;
    if ((divides || interpolates) && !is_halves(of)) return "points between coarse ones, by another ratio than 2";
    for (int d = 0; d < 3; ++d)
        if (of.points.low[d] < INT32_MIN / 2 || of.points.high[d] > INT32_MAX / 2) return "points beyond 2^30";
    for (int v = 0; v < n_values(of); ++v)
        if (!lies_well(of.values[v], real_bytes(of.type))) return "values lie where their type cannot";
    return nullptr;
}

} // namespace halo::device
