// SPDX-License-Identifier: BSD-3-Clause
// Moves through lists of points, and moves that change the sign of values.
#pragma once

#include "move.h"

namespace halo::host {

// Must a row of the shape be moved by the kernels of this file?
inline bool is_special(const halo_copy_shape &shape) { return shape.lists != 0 || shape.negate != 0; }

// One line of points: point i is `list[i]` steps from its side's first, or i steps where there is no list.
struct Points {
    char *dst;
    const char *src;
    const uint32_t *dst_list;
    const uint32_t *src_list;
    int64_t dst_step;
    int64_t src_step;

    char *target(int64_t i) const { return dst + (dst_list != nullptr ? int64_t{ dst_list[i] } : i) * dst_step; }
    const char *origin(int64_t i) const { return src + (src_list != nullptr ? int64_t{ src_list[i] } : i) * src_step; }
};

// Points ahead of the present one whose memory is asked for.
inline constexpr int64_t list_lookahead = 24;

// The list of a row on one side, 1: source, 2: destination.
inline const uint32_t *list_of(const halo_copy_shape &shape, const Row &row, const uint32_t *indices, int side) {
    return (shape.lists >> (side - 1) & 1) != 0 ? indices + row.src_offset[side] : nullptr;
}

// Calls `each(points, n)` for all points of a row. Lines are gone through in short pieces, for all outer indices in turn: components that lie apart
// on one side fill the lines of the other while these are near.
template <class Each>
void for_each_line(const halo_copy_shape &shape, const Row &row, void *const *bases, const uint32_t *indices, Each &&each) {
    constexpr int64_t short_piece = 256;
    const uint32_t *const dst_list = list_of(shape, row, indices, 2), *const src_list = list_of(shape, row, indices, 1);
    const int64_t n_lines = int64_t{ shape.n[0] } * shape.n[1] * shape.n[2];
    for (uint32_t p = 0; p < shape.n_pieces; ++p) {
        const int64_t run = shape.run[p], piece = n_lines == 1 ? run : short_piece;
        char *const dst = static_cast<char *>(bases[row.dst_base]) + row.dst_offset + shape.dst_shift[p];
        const char *const src = static_cast<const char *>(bases[row.src_base[p]]) + row.src_offset[p];
        for (int64_t first = 0; first < run; first += piece)
            for (int64_t line = 0; line < n_lines; ++line) {
                const int64_t y = line % shape.n[0], z = line / shape.n[0] % shape.n[1], c = line / shape.n[0] / shape.n[1];
                Points points{ dst, src, nullptr, nullptr, shape.dst_step, shape.src_step[p] };
                points.dst += y * shape.dst_stride[0] + z * shape.dst_stride[1] + c * shape.dst_stride[2];
                points.src += y * shape.src_stride[p][0] + z * shape.src_stride[p][1] + c * shape.src_stride[p][2];
                if (dst_list != nullptr)
                    points.dst_list = dst_list + first;
                else
                    points.dst += first * shape.dst_step;
                if (src_list != nullptr)
                    points.src_list = src_list + first;
                else
                    points.src += first * shape.src_step[p];
                each(points, piece < run - first ? piece : run - first);
            }
    }
}

// The move of a shape that is_special. Shape and indices must stay.
Move special_move(const halo_copy_shape &shape, const uint32_t *indices);

} // namespace halo::host
