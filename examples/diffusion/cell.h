/* SPDX-License-Identifier: BSD-3-Clause */
/* Each stage of a step in one cell. Pointers lead to that cell's value of a field; those of its neighbours along x, y and z lie `to.x`, `to.y`
 * and `to.z` values further on, in each field of a block alike. */
#ifndef DIFFUSION_CELL_H
#define DIFFUSION_CELL_H

#include "language.h"

#ifdef __cplusplus
namespace diffusion {
#endif

/* The fluxes of the fourth order, with their limiter, are for the levels below the splitter; above it the Laplacian alone smoothes. */
enum { n_levels = 80, splitter = 60 };

typedef struct Steps {
    long x, y, z;
} Steps;

FUNCTION double find_lap_at(GLOBAL const double *u, Steps to) { return 4 * u[0] - (u[to.x] + u[-to.x] + u[to.y] + u[-to.y]); }

/* To the neighbour `next` values on. Nothing flows up a slope. */
FUNCTION double find_flux_at(GLOBAL const double *lap, GLOBAL const double *u, long next) {
    const double flux = lap[next] - lap[0], slope = u[next] - u[0];
    return flux * slope > 0 ? 0 : flux;
}

FUNCTION double diffuse_at(GLOBAL const double *u, GLOBAL const double *lap, GLOBAL const double *flux_x, GLOBAL const double *flux_y, long z,
                           Steps to) {
    const double strength = 0.025, strength_above = 0.1;
    if (z < splitter) return u[0] - strength * (flux_x[0] - flux_x[-to.x] + flux_y[0] - flux_y[-to.y]);
    return u[0] - strength_above * lap[0];
}

/* The implicit half of a Crank-Nicolson step with the wind across the levels, level by level: L. Thomas' elimination upwards ... */
FUNCTION void sweep_up_at(GLOBAL double *upper, GLOBAL double *right_side, GLOBAL const double *now, GLOBAL const double *wind, long z, Steps to) {
    double below = 0, above = 0, right = now[0];
    if (z > 0) {
        below = -0.5 * (0.25 * (wind[0] + wind[to.x]));
        right -= below * (now[-to.z] - now[0]);
    }
    if (z < n_levels - 1) {
        above = 0.5 * (0.25 * (wind[to.z] + wind[to.z + to.x]));
        right -= above * (now[to.z] - now[0]);
    }
    const double middle = 1 - below - above;
    const double divisor = z > 0 ? middle - below * upper[-to.z] : middle;
    upper[0] = above / divisor;
    right_side[0] = (z > 0 ? right - below * right_side[-to.z] : right) / divisor;
}

/* ... and substitution downwards. */
FUNCTION void sweep_down_at(GLOBAL double *u, GLOBAL const double *right_side, GLOBAL const double *upper, long z, Steps to) {
    u[0] = right_side[0] - (z < n_levels - 1 ? upper[0] * u[to.z] : 0);
}

#ifdef __cplusplus
}
#endif

#endif
