// SPDX-License-Identifier: BSD-3-Clause
// Kernels of moves. They use registers of 16 bytes, but for what wide_kernel knows: copies of ghosts wait for memory, and wider registers
// shorten only the lines of blocks of 8 cells.
#include "line_kernels.h"
#include "wide_kernels.h"

namespace halo::host {

namespace {

// Elements of a size known here.
template <int n>
struct Element {
    [[gnu::always_inline]] static void copy(char *dst, const char *src, int64_t) { copy_fixed<n>(dst, src); }
};

// Elements of any size. Layouts may let points overlap.
struct AnyElement {
    [[gnu::always_inline]] static void copy(char *dst, const char *src, int64_t bytes) { __builtin_memmove(dst, src, static_cast<size_t>(bytes)); }
};

template <class One>
void move_strided(const Move &move, const Row &row, void *const *bases, int64_t slice) {
    const int64_t count = move.middle, element_bytes = move.element_bytes;
    const int64_t dst_step = move.dst_step, src_step = move.src_step;
    const int64_t *const dst_stride = move.dst_stride, *const src_stride = move.src_stride[0];
    char *const dst = static_cast<char *>(bases[row.dst_base]) + (row.dst_offset + move.dst_shift + slice * move.dst_slice);
    const char *const src =
        static_cast<const char *>(bases[row.src_base[move.first_piece]]) + (row.src_offset[move.first_piece] + slice * move.src_slice[0]);
    for (int64_t i2 = 0; i2 < move.n[2]; ++i2)
        for (int64_t i1 = 0; i1 < move.n[1]; ++i1)
            for (int64_t i0 = 0; i0 < move.n[0]; ++i0) {
                const int64_t dst_at = i2 * dst_stride[2] + i1 * dst_stride[1] + i0 * dst_stride[0];
                const int64_t src_at = i2 * src_stride[2] + i1 * src_stride[1] + i0 * src_stride[0];
                for (int64_t i = 0; i < count; ++i) One::copy(dst + (dst_at + i * dst_step), src + (src_at + i * src_step), element_bytes);
            }
}

template <class Left, class Right>
MoveKernel with_any_middle(bool listed, int64_t bytes) {
    if (bytes >= 64) return kernel<Left, Long, Right>(listed);
    if (bytes >= 32) return kernel<Left, Overlapped<32>, Right>(listed);
    if (bytes >= 16) return kernel<Left, Overlapped<16>, Right>(listed);
    return nullptr;
}

template <class Left, class Right>
MoveKernel with_middle(bool listed, int64_t bytes) {
    if (bytes == 64) return kernel<Left, Fixed<64>, Right>(listed);
    if (bytes == 128) return kernel<Left, Fixed<128>, Right>(listed);
    return with_any_middle<Left, Right>(listed, bytes);
}

template <int end>
MoveKernel with_ends(bool listed, int64_t left, int64_t middle, int64_t right) {
    using End = Fixed<end>;
    if (left == right) return middle == 0 ? kernel<End, Gap, End>(listed) : with_middle<End, End>(listed, middle);
    return left == end ? with_any_middle<End, Nothing>(listed, middle) : with_any_middle<Nothing, End>(listed, middle);
}

MoveKernel alone(bool listed, int64_t bytes) {
    switch (bytes) {
    case 1: return kernel<Nothing, Fixed<1>, Nothing>(listed);
    case 4: return kernel<Nothing, Fixed<4>, Nothing>(listed);
    case 8: return kernel<Nothing, Fixed<8>, Nothing>(listed);
    case 16: return kernel<Nothing, Fixed<16>, Nothing>(listed);
    case 24: return kernel<Nothing, Fixed<24>, Nothing>(listed);
    default: break;
    }
    if (bytes < 4) return kernel<Nothing, Overlapped<2>, Nothing>(listed);
    if (bytes < 8) return kernel<Nothing, Overlapped<4>, Nothing>(listed);
    if (bytes < 16) return kernel<Nothing, Overlapped<8>, Nothing>(listed);
    return with_middle<Nothing, Nothing>(listed, bytes);
}

} // namespace

MoveKernel contiguous_kernel(bool listed, int64_t left, int64_t middle, int64_t right) {
    if (MoveKernel wide = wide_kernel(listed, left, middle, right)) return wide;
    if (left != right && left != 0 && right != 0) return nullptr;
    switch (left != 0 ? left : right) {
    case 0: return alone(listed, middle);
    case 4: return with_ends<4>(listed, left, middle, right);
    case 8: return with_ends<8>(listed, left, middle, right);
    case 12: return with_ends<12>(listed, left, middle, right);
    case 16: return with_ends<16>(listed, left, middle, right);
    case 24: return with_ends<24>(listed, left, middle, right);
    case 32: return with_ends<32>(listed, left, middle, right);
    case 48: return with_ends<48>(listed, left, middle, right);
    case 64: return with_ends<64>(listed, left, middle, right);
    default: return nullptr;
    }
}

MoveKernel strided_kernel(int64_t element_bytes) {
    switch (element_bytes) {
    case 1: return move_strided<Element<1>>;
    case 2: return move_strided<Element<2>>;
    case 4: return move_strided<Element<4>>;
    case 8: return move_strided<Element<8>>;
    case 16: return move_strided<Element<16>>;
    case 32: return move_strided<Element<32>>;
    default: return move_strided<AnyElement>;
    }
}

} // namespace halo::host
