// SPDX-License-Identifier: BSD-3-Clause
#include "listed.h"

#include <algorithm>
#include <cstring>

#include "../value.h"

namespace halo::host {

namespace {

using device::load;
using device::store;

using PointKernel = void (*)(const Points &points, int64_t n, int64_t bytes);

enum class Lists : uint8_t { source, destination, both };

template <Lists lists>
[[gnu::always_inline]] inline char *target(const Points &points, int64_t i) {
    return points.dst + (lists == Lists::source ? i : int64_t{ points.dst_list[i] }) * points.dst_step;
}

template <Lists lists>
[[gnu::always_inline]] inline const char *origin(const Points &points, int64_t i) {
    return points.src + (lists == Lists::destination ? i : int64_t{ points.src_list[i] }) * points.src_step;
}

// bytes 0: any number. Layouts may let points overlap.
template <int bytes>
[[gnu::always_inline]] inline void copy_point(char *dst, const char *src, int64_t any) {
    if constexpr (bytes != 0)
        __builtin_memcpy(dst, src, bytes);
    else
        __builtin_memmove(dst, src, static_cast<size_t>(any));
}

template <int bytes, Lists lists>
void move_points(const Points &given, int64_t n, int64_t any) {
    const Points points = given; // no store can change it
    const int64_t watched = std::max<int64_t>(n - list_lookahead, 0);
    int64_t i = 0;
    for (; i < watched; ++i) {
        if (lists != Lists::destination) __builtin_prefetch(origin<lists>(points, i + list_lookahead));
        if (lists != Lists::source) __builtin_prefetch(target<lists>(points, i + list_lookahead), 1);
        copy_point<bytes>(target<lists>(points, i), origin<lists>(points, i), any);
    }
    for (; i < n; ++i) copy_point<bytes>(target<lists>(points, i), origin<lists>(points, i), any);
}

template <int bytes>
PointKernel with_lists(uint32_t lists) {
    if (lists == HALO_LIST_SOURCE) return move_points<bytes, Lists::source>;
    return lists == HALO_LIST_DESTINATION ? move_points<bytes, Lists::destination> : move_points<bytes, Lists::both>;
}

PointKernel point_kernel(uint32_t lists, uint32_t bytes) {
    switch (bytes) {
    case 1: return with_lists<1>(lists);
    case 2: return with_lists<2>(lists);
    case 4: return with_lists<4>(lists);
    case 8: return with_lists<8>(lists);
    case 16: return with_lists<16>(lists);
    case 24: return with_lists<24>(lists);
    case 32: return with_lists<32>(lists);
    case 40: return with_lists<40>(lists);
    case 48: return with_lists<48>(lists);
    case 64: return with_lists<64>(lists);
    default: return with_lists<0>(lists);
    }
}

// Numbers with a fraction have a bit for the sign, integers wrap around.
template <class Bits, bool has_fraction>
void negate_points(const Points &points, int64_t n, int64_t bytes) {
    constexpr Bits sign = Bits{ 1 } << (8 * sizeof(Bits) - 1);
    for (int64_t i = 0; i < n; ++i)
        for (int64_t at = 0; at < bytes; at += static_cast<int64_t>(sizeof(Bits))) {
            const auto value = load<Bits>(points.origin(i) + at);
            store<Bits>(points.target(i) + at, static_cast<Bits>(has_fraction ? value ^ sign : Bits{ 0 } - value));
        }
}

PointKernel negating_kernel(halo_type type) {
    switch (type) {
    case HALO_FLOAT16:
    case HALO_BFLOAT16: return negate_points<uint16_t, true>;
    case HALO_FLOAT32:
    case HALO_COMPLEX64: return negate_points<uint32_t, true>;
    case HALO_FLOAT64:
    case HALO_COMPLEX128: return negate_points<uint64_t, true>;
    case HALO_INT8: return negate_points<uint8_t, false>;
    case HALO_INT16: return negate_points<uint16_t, false>;
    case HALO_INT32: return negate_points<uint32_t, false>;
    default: return negate_points<uint64_t, false>;
    }
}

void move_special(const Move &move, const Row &row, void *const *bases, int64_t) {
    const halo_copy_shape &shape = *move.special_shape;
    const PointKernel kernel = shape.negate != 0 ? negating_kernel(shape.negate) : point_kernel(shape.lists, shape.element_bytes);
    for_each_line(shape, row, bases, move.indices, [&](const Points &points, int64_t n) { kernel(points, n, shape.element_bytes); });
}

} // namespace

Move special_move(const halo_copy_shape &shape, const uint32_t *indices) {
    Move move{};
    move.kernel = move_special;
    move.n_slices = 1;
    move.n_pieces = shape.n_pieces;
    move.special_shape = &shape;
    move.indices = indices;
    return move;
}

} // namespace halo::host
