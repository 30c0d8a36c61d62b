// SPDX-License-Identifier: BSD-3-Clause
// Moves: what is left of a shape when it is compiled. A move copies one to three runs per line, in a kernel made for their sizes.
#pragma once

#include <cstdint>

#include "halo_plugin.h"

namespace halo::host {

struct Move;
using MoveKernel = void (*)(const Move &move, const halo_copy_row &row, void *const *bases);

// One piece of the row. Offsets and strides in bytes.
struct MoveOperand {
    int64_t length; // of one run: bytes, or elements if it is strided
    int64_t dst_shift;
    int64_t src_stride[3];
    int64_t src_step; // strided only
    uint32_t piece;   // number of the piece in the row
};

struct Move {
    MoveKernel kernel;
    int64_t n[3]; // lines: innermost, middle, outermost
    int64_t dst_stride[3];
    MoveOperand operand[HALO_COPY_PIECES];
    uint32_t n_operands;
    int64_t dst_step; // strided only, as element_bytes
    int64_t element_bytes;
};

// Kernels of one instruction set.
struct MoveKernels {
    const char *name;
    // Runs that are contiguous on both sides: `n_ends` (0..2) of `end_bytes` each, then one of `bytes`. nullptr: no such kernel; with n_ends 0 there
    // always is one.
    MoveKernel (*contiguous)(int n_ends, int64_t end_bytes, int64_t bytes);
    // One run of elements that lie apart on at least one side.
    MoveKernel (*strided)(int64_t element_bytes);
};

extern const MoveKernels moves_baseline;
#ifdef HALO_HOST_X86
extern const MoveKernels moves_avx2;
extern const MoveKernels moves_avx512;
#endif

} // namespace halo::host
