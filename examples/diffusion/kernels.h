/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages on a device, in all blocks of the rank at once. */
#ifndef DIFFUSION_KERNELS_H
#define DIFFUSION_KERNELS_H

#include "cell.h"

#ifdef __cplusplus
namespace diffusion {
#endif

/* The same cells of every block: `n_x` by `n_y` columns on `n_z` levels, of which `low_z` is the lowest. In each field the first of them in the first
 * block is value `first`, and blocks are `block` values apart. */
typedef struct Columns {
    long n_x, n_y, n_z, low_z, first, block;
    Steps to;
} Columns;

#ifdef KERNEL

/* Values before the lowest cell of a column; columns of a block come before those of the next. */
FUNCTION long column(Columns columns, long number) {
    const long x = number % columns.n_x, y = number / columns.n_x % columns.n_y, block = number / (columns.n_x * columns.n_y);
    return columns.first + block * columns.block + y * columns.to.y + x * columns.to.x;
}

/* The level of a thread that has one cell, and values before that. */
FUNCTION long level(Columns columns, long number) { return number / (columns.n_x * columns.n_y) % columns.n_z; }
FUNCTION long cell(Columns columns, long number) {
    const long in_level = columns.n_x * columns.n_y, block = number / (in_level * columns.n_z);
    return column(columns, block * in_level + number % in_level) + level(columns, number) * columns.to.z;
}

KERNEL void find_lap(long n, Columns columns, GLOBAL double *lap, GLOBAL const double *u) {
    if (THREAD >= n) return;
    const long at = cell(columns, THREAD);
    lap[at] = find_lap_at(u + at, columns.to);
}

KERNEL void find_flux(long n, Columns columns, GLOBAL double *flux, GLOBAL const double *lap, GLOBAL const double *u, long next) {
    if (THREAD >= n) return;
    const long at = cell(columns, THREAD);
    flux[at] = find_flux_at(lap + at, u + at, next);
}

KERNEL void diffuse(long n, Columns columns, GLOBAL double *diffused, GLOBAL const double *u, GLOBAL const double *lap, GLOBAL const double *flux_x,
                    GLOBAL const double *flux_y) {
    if (THREAD >= n) return;
    const long at = cell(columns, THREAD), z = columns.low_z + level(columns, THREAD);
    diffused[at] = diffuse_at(u + at, lap + at, flux_x + at, flux_y + at, z, columns.to);
}

/* A thread for each column. */
KERNEL void sweep_up(long n, Columns columns, GLOBAL double *upper, GLOBAL double *right_side, GLOBAL const double *now, GLOBAL const double *wind) {
    if (THREAD >= n) return;
    for (long k = 0; k < columns.n_z; ++k) {
        const long at = column(columns, THREAD) + k * columns.to.z;
        sweep_up_at(upper + at, right_side + at, now + at, wind + at, columns.low_z + k, columns.to);
    }
}

KERNEL void sweep_down(long n, Columns columns, GLOBAL double *u, GLOBAL const double *right_side, GLOBAL const double *upper) {
    if (THREAD >= n) return;
    for (long k = columns.n_z - 1; k >= 0; --k) {
        const long at = column(columns, THREAD) + k * columns.to.z;
        sweep_down_at(u + at, right_side + at, upper + at, columns.low_z + k, columns.to);
    }
}

#endif

#ifdef __cplusplus
}
#endif

#endif
