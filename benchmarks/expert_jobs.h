// SPDX-License-Identifier: BSD-3-Clause
// What an expert would write by hand for the work W and nothing else: the ghosts of a block as nine bundles of rows, in each of which the
// left, middle and right piece of a row are copied together, by kernels in which all sizes are constants of the compiler.
#pragma once

#include <cstdint>
#include <vector>

#include "work.h"

namespace bench {

// Pieces of a row; a job copies a set of them.
inline constexpr int left = 1, middle = 2, right = 4;

// Rows at one (y, z) of a block, y and z each below, beside or above it. All pointers are those of the place where the bundle begins in the
// destination block, so that one offset leads to the row in all of them; the packed side has its rows one behind the other.
struct RowJob {
    double *dst = nullptr;
    const double *src[3] = {};
};

struct RowSizes {
    int32_t block, ghost;
    int32_t components;          // of the storage
    int32_t first_component = 0; // to copy: packed rows begin with it
    int32_t end_component = components;
};

using RowKernel = void (*)(const RowJob &job, const RowSizes &sizes);

// A job with its kernel.
struct BoundJob {
    RowKernel kernel;
    RowJob job;
};

enum class Move { direct, pack, unpack };

// Kernels for one instruction set.
struct KernelSet {
    const char *name;
    // `pieces`: sum of left, middle, right. `beside_y`: the rows lie beside the block in y and not below or above it; so for z.
    RowKernel (*kernel)(const RowSizes &sizes, Move move, int pieces, bool beside_y, bool beside_z);
    // All nine bundles of each block, which are fetched as one stream if they are small.
    void (*(*whole_blocks)(const RowSizes &sizes))(const RowJob *jobs, int64_t n_blocks, const RowSizes &sizes);
    // Copy whole cache lines, as the measure of what memory gives.
    void (*flat_copy)(double *dst, const double *src, int64_t n);
};

// Those that this processor can run, the most capable last.
std::vector<const KernelSet *> usable_kernel_sets();

} // namespace bench
