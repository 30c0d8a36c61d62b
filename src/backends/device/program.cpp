// SPDX-License-Identifier: BSD-3-Clause
#include "program.h"

#include <cstdint>
#include <cstdio>
#include <initializer_list>

#include "value.h"

namespace halo::device {

namespace {

// Do the elements of index `d` lie side by side everywhere?
bool side_by_side(const halo_copy_shape &shape, int d) {
    if (shape.n[d] < 2 || shape.dst_stride[d] != shape.element_bytes || uint64_t{ shape.n[d] } * shape.element_bytes > UINT32_MAX) return false;
    for (uint32_t p = 0; p < shape.n_pieces; ++p)
        if (shape.src_stride[p][d] != shape.element_bytes) return false;
    return true;
}

bool list_exists(const halo_copy_shape &shape, int64_t start, int64_t n_indices) {
    return start >= 0 && int64_t{ shape.run[0] } <= n_indices && start <= n_indices - int64_t{ shape.run[0] };
}

} // namespace

const char *problem_of(const halo_copy_shape &shape) {
    if (shape.n_pieces < 1 || shape.n_pieces > HALO_COPY_PIECES) return "the number of pieces is not 1, 2 or 3";
    if (shape.element_bytes == 0) return "elements have no bytes";
    if ((shape.lists & ~(HALO_LIST_SOURCE | HALO_LIST_DESTINATION)) != 0) return "unknown bits in `lists`";
    if (shape.lists != 0 && shape.n_pieces != 1) return "a listed row has one piece";
    if (shape.negate == 0) return nullptr;
    const size_t value = value_bytes(shape.negate);
    if (value == 0 || shape.negate == HALO_BYTES || is_unsigned(shape.negate)) return "values of the type in `negate` have no sign";
    if (shape.element_bytes % value != 0) return "elements are no whole number of the values to negate";
    return nullptr;
}

bool rows_are_right(const halo_copy_row *rows, int64_t n, const halo_copy_shape *shapes, int64_t n_shapes, int64_t n_indices, char *text,
                    size_t text_bytes) {
    for (int64_t i = 0; i < n; ++i) {
        const halo_copy_row &row = rows[i];
        if (row.shape >= n_shapes) {
            std::snprintf(text, text_bytes, "row %lld of a table names shape %u of %lld", static_cast<long long>(i), row.shape,
                          static_cast<long long>(n_shapes));
            return false;
        }
        const halo_copy_shape &shape = shapes[row.shape];
        for (const int side : { 1, 2 })
            if ((shape.lists & (side == 1 ? HALO_LIST_SOURCE : HALO_LIST_DESTINATION)) != 0 && !list_exists(shape, row.src_offset[side], n_indices)) {
                std::snprintf(text, text_bytes, "row %lld of a table names indices %lld + %u of %lld", static_cast<long long>(i),
                              static_cast<long long>(row.src_offset[side]), shape.run[0], static_cast<long long>(n_indices));
                return false;
            }
    }
    return true;
}

halo_copy_shape widened(const halo_copy_shape &shape) {
    halo_copy_shape wide = shape;
    for (int tries = 0; tries < 3; ++tries)
        for (int d = 0; d < 3; ++d)
            if (side_by_side(wide, d)) {
                wide.element_bytes *= wide.n[d];
                wide.n[d] = 1;
            }
    return wide;
}

} // namespace halo::device
