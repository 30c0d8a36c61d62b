/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages on a device, in all cells of the rank at once. */
#ifndef SHALLOW_KERNELS_H
#define SHALLOW_KERNELS_H

#include "cell.h"

#ifdef KERNEL
#ifdef __cplusplus
namespace shallow {
#endif

KERNEL void copy_values(long n, GLOBAL double *to, GLOBAL const double *from) {
    if (THREAD < n) to[THREAD] = from[THREAD];
}

KERNEL void find_slopes(long n, GLOBAL const Gradient *gradients, GLOBAL const double *stage, GLOBAL Slope *slopes) {
    if (THREAD >= n) return;
    slopes[gradients[THREAD].at] = slope_at(stage, gradients[THREAD]);
}

KERNEL void advance(long n, GLOBAL const Cell *cells, GLOBAL const Point *places, GLOBAL const Slope *slopes, GLOBAL const double *now,
                    GLOBAL const double *stage, GLOBAL double *next, Step step) {
    if (THREAD >= n) return;
    Stage from;
    from.places = places;
    from.values = stage;
    from.slopes = slopes;
    write_state(next, cells[THREAD].at, advance_at(now, from, cells + THREAD, step));
}

/* The cells of the rank; ghosts are not its own. */
KERNEL void take_next(long n, GLOBAL const Cell *cells, GLOBAL double *stage, GLOBAL const double *next) {
    if (THREAD < n) write_state(stage, cells[THREAD].at, read_state(next, cells[THREAD].at));
}

#ifdef __cplusplus
} // namespace shallow
#endif
#endif

#endif
