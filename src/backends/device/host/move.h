// SPDX-License-Identifier: BSD-3-Clause
// Moves: what is left of a shape when it is compiled. A move copies one to three runs per line, in a kernel made for their sizes.
#pragma once

#include <cstdint>

#include "halo_plugin.h"

namespace halo::host {

struct Move;

// A row of the table: one cache line. Offsets in bytes.
struct alignas(64) Row {
    const Move *move;
    int64_t dst_offset;
    int64_t src_offset[HALO_COPY_PIECES];
    uint32_t dst_base;
    uint32_t src_base[HALO_COPY_PIECES];
    int32_t fetch_at = 0;    // what to have in the cache before this row, and the others of its destination, begin: from dst_offset on
    int32_t fetch_bytes = 0; // 0: nothing
    // Instead: nothing is moved where source and destination have one base.
    static constexpr int32_t may_be_in_place = -1;
};

// Does one slice of the row.
using MoveKernel = void (*)(const Move &move, const Row &row, void *const *bases, int64_t slice);

// Strides in bytes.
struct Move {
    MoveKernel kernel;
    const int32_t *lines; // nullptr, or the bytes to each line: then the same in the destination and in all sources
    int64_t n_lines;
    uint32_t first_piece; // the move does n_pieces of the row from here on
    uint32_t n_pieces;
    int64_t dst_shift; // of the first piece
    int64_t middle;    // bytes of the run in the middle, or of the gap there. Strided: elements of the run
    int64_t n_slices;  // of the row, each with the lines below
    int64_t dst_slice; // from a slice to the next
    int64_t src_slice[HALO_COPY_PIECES];
    int64_t n[3]; // lines: innermost, middle, outermost loop
    int64_t dst_stride[3];
    int64_t src_stride[HALO_COPY_PIECES][3];
    int64_t element_bytes; // strided only, as the steps
    int64_t dst_step;
    int64_t src_step;
    const Move *next;                     // the move that does what is left of the row
    uint32_t shape;                       // number of the row's shape
    const halo_copy_shape *special_shape; // moves of listed.h only, as the indices of all lists
    const uint32_t *indices;
};

// Contiguous runs that lie side by side in the destination, in bytes: one in the middle, others (or 0) to its left and right. Middle 0 is a gap of
// any length. nullptr: no such kernel; there always is one for the middle alone.
MoveKernel contiguous_kernel(bool listed, int64_t left, int64_t middle, int64_t right);

// One run of elements that lie apart on at least one side.
MoveKernel strided_kernel(int64_t element_bytes);

} // namespace halo::host
