/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheme on a device, in all blocks of the rank at once. */
#ifndef EULER_KERNELS_H
#define EULER_KERNELS_H

#include "cell.h"

#ifdef __cplusplus
namespace euler {
#endif

/* What all blocks of a rank have in common: their cells, and where values lie in storage. The first cell's is value `first`; neighbours along x, y
 * and z lie `stride` further on, components `component`, and of the gas the next block's `block`. A tracer has storage of its own in each block, with
 * the same strides: a table says where by number(tracer, block), 0 where there is none. */
typedef struct Blocks {
    long n, cells[3];
    long first, stride[3], component, block;
    int n_tracers;
    double gamma, cell_size;
} Blocks;

typedef struct Box {
    long low[3], n[3];
} Box;

#ifdef KERNEL

#define TABLE GLOBAL const unsigned long *

FUNCTION long number(Blocks blocks, int tracer, long block) { return tracer * blocks.n + block; }
FUNCTION GLOBAL double *density_of(TABLE table, long number) { return (GLOBAL double *)table[number]; }
FUNCTION long value_of(Blocks blocks, long i, long j, long k) {
    return blocks.first + i * blocks.stride[0] + j * blocks.stride[1] + k * blocks.stride[2];
}

/* The gas in a cell as seen along `d`: its own axes are (across, along, along), the stored momenta are (x, y, z). */
FUNCTION Side gas_along(Blocks blocks, GLOBAL const double *u, int d) {
    const long c = blocks.component;
    return side_of(u[0], u[(1 + d) * c], u[(1 + (d + 1) % 3) * c], u[(1 + (d + 2) % 3) * c], u[4 * c], blocks.gamma);
}

/* Through the face below a cell along `d`. */
FUNCTION Flux flux_below(Blocks blocks, GLOBAL const double *u, int d) {
    const long next = blocks.stride[d];
    const Side a = gas_along(blocks, u - 2 * next, d), b = gas_along(blocks, u - next, d);
    const Side c = gas_along(blocks, u, d), e = gas_along(blocks, u + next, d);
    Side left, right;
    left.density = below_face(a.density, b.density, c.density);
    left.across = below_face(a.across, b.across, c.across);
    left.along_0 = below_face(a.along_0, b.along_0, c.along_0);
    left.along_1 = below_face(a.along_1, b.along_1, c.along_1);
    left.pressure = below_face(a.pressure, b.pressure, c.pressure);
    right.density = above_face(b.density, c.density, e.density);
    right.across = above_face(b.across, c.across, e.across);
    right.along_0 = above_face(b.along_0, c.along_0, e.along_0);
    right.along_1 = above_face(b.along_1, c.along_1, e.along_1);
    right.pressure = above_face(b.pressure, c.pressure, e.pressure);
    return hllc_flux(left, right, blocks.gamma);
}

/* A tracer's through the same face, `q` and `u` at the cell above it. What lies on a side that its neighbour takes for zero is zero here too. */
FUNCTION double tracer_flux_below(double mass, GLOBAL const double *q, GLOBAL const double *u, long next, bool quiet_below, bool quiet_above) {
    const double a = quiet_below ? 0 : q[-2 * next] / u[-2 * next], b = quiet_below ? 0 : q[-next] / u[-next];
    const double c = quiet_above ? 0 : q[0] / u[0], d = quiet_above ? 0 : q[next] / u[next];
    return tracer_flux(mass, a, b, c, d);
}

/* One cell of a box in one block: `out` is written, `in` is read, with ghosts. `quiet`: of each tracer in each block six flags, see update.h. */
KERNEL void update(long n, Blocks blocks, Box box, Stage stage, GLOBAL const double *in, GLOBAL double *out, TABLE tracers_in, TABLE tracers_out,
                   GLOBAL const int *quiet) {
    const long thread = THREAD;
    if (thread >= n) return;
    const long at_cell[3] = { box.low[0] + thread % box.n[0], box.low[1] + thread / box.n[0] % box.n[1],
                              box.low[2] + thread / (box.n[0] * box.n[1]) % box.n[2] };
    const long block = thread / (box.n[0] * box.n[1] * box.n[2]), at = value_of(blocks, at_cell[0], at_cell[1], at_cell[2]);
    GLOBAL const double *u = in + block * blocks.block + at;
    double rate[n_conserved] = { 0, 0, 0, 0, 0 }, mass_below[3], mass_above[3];
    for (int d = 0; d < 3; ++d) {
        const Flux below = flux_below(blocks, u, d), above = flux_below(blocks, u + blocks.stride[d], d);
        rate[0] += (below.mass - above.mass) / blocks.cell_size;
        rate[1 + d] += (below.across - above.across) / blocks.cell_size;
        rate[1 + (d + 1) % 3] += (below.along_0 - above.along_0) / blocks.cell_size;
        rate[1 + (d + 2) % 3] += (below.along_1 - above.along_1) / blocks.cell_size;
        rate[4] += (below.energy - above.energy) / blocks.cell_size;
        mass_below[d] = below.mass;
        mass_above[d] = above.mass;
    }
    for (int c = 0; c < n_conserved; ++c) {
        GLOBAL double *to = out + block * blocks.block + at + c * blocks.component;
        *to = advanced(u[c * blocks.component], *to, rate[c], stage);
    }
    for (int t = 0; t < blocks.n_tracers; ++t) {
        const long of = number(blocks, t, block);
        if (tracers_in[of] == 0) continue;
        GLOBAL const double *q = density_of(tracers_in, of) + at;
        GLOBAL double *to = density_of(tracers_out, of) + at;
        double tracer_rate = 0;
        for (int d = 0; d < 3; ++d) {
            const long next = blocks.stride[d];
            const bool at_low = at_cell[d] == 0 && quiet[6 * of + 2 * d], at_high = at_cell[d] == blocks.cells[d] - 1 && quiet[6 * of + 2 * d + 1];
            const double below = tracer_flux_below(mass_below[d], q, u, next, false, at_low);
            const double above = tracer_flux_below(mass_above[d], q + next, u + next, next, at_high, false);
            tracer_rate += (below - above) / blocks.cell_size;
        }
        *to = advanced(q[0], *to, tracer_rate, stage);
    }
}

/* Ghosts outside the domain along `d`: the nearest owned cell, or the mirrored one with the opposite normal velocity. `outside`: of each block six
 * flags, below and above along x, y and z. A thread for each ghost. */
KERNEL void fill_outside(long n, Blocks blocks, int d, int mirrors, GLOBAL double *gas, TABLE tracers, GLOBAL const int *outside) {
    const long thread = THREAD;
    if (thread >= n) return;
    const int e = (d + 1) % 3, f = (d + 2) % 3, side = (int)(thread % 2);
    const long ghost = thread / 2 % reach, place = thread / (2 * reach) % (blocks.cells[e] * blocks.cells[f]);
    const long block = thread / (2 * reach * blocks.cells[e] * blocks.cells[f]);
    if (!outside[6 * block + 2 * d + side]) return;
    const long edge = side ? blocks.cells[d] - 1 : 0, outward = side ? blocks.stride[d] : -blocks.stride[d];
    const long last =
        blocks.first + edge * blocks.stride[d] + place % blocks.cells[e] * blocks.stride[e] + place / blocks.cells[e] * blocks.stride[f];
    const long from = last - (mirrors ? ghost * outward : 0), to = last + (1 + ghost) * outward;
    for (int c = 0; c < n_conserved; ++c) {
        GLOBAL double *u = gas + block * blocks.block + c * blocks.component;
        u[to] = mirrors && c == 1 + d ? -u[from] : u[from];
    }
    for (int t = 0; t < blocks.n_tracers; ++t) {
        const long of = number(blocks, t, block);
        if (tracers[of] != 0) density_of(tracers, of)[to] = density_of(tracers, of)[from];
    }
}

/* A thread for each side of each tracer in each block: what is within `reach` of it is below the threshold. */
KERNEL void find_quiet(long n, Blocks blocks, double threshold, TABLE tracers, GLOBAL int *quiet) {
    const long thread = THREAD;
    if (thread >= n || tracers[thread / 6] == 0) return;
    const int d = (int)(thread % 6 / 2), e = (d + 1) % 3, f = (d + 2) % 3;
    const long first = thread % 2 ? blocks.cells[d] - reach : 0;
    GLOBAL const double *q = density_of(tracers, thread / 6) + blocks.first;
    bool below = true;
    for (long k = 0; k < blocks.cells[f]; ++k)
        for (long j = 0; j < blocks.cells[e]; ++j)
            for (long i = first; i < first + reach; ++i)
                below = below && fabs(q[i * blocks.stride[d] + j * blocks.stride[e] + k * blocks.stride[f]]) < threshold;
    quiet[thread] = below;
}

/* Of each row of cells along x the fastest wave; a tracer's greatest density. The host goes on from there. */
KERNEL void find_fastest(long n, Blocks blocks, GLOBAL const double *gas, GLOBAL double *of_rows) {
    const long thread = THREAD, c = blocks.component;
    if (thread >= n) return;
    const long j = thread % blocks.cells[1], k = thread / blocks.cells[1] % blocks.cells[2], block = thread / (blocks.cells[1] * blocks.cells[2]);
    double fastest = 0;
    for (long i = 0; i < blocks.cells[0]; ++i) {
        GLOBAL const double *u = gas + block * blocks.block + value_of(blocks, i, j, k);
        fastest = larger(wave_speed(u[0], u[c], u[2 * c], u[3 * c], u[4 * c], blocks.gamma), fastest);
    }
    of_rows[thread] = fastest;
}

KERNEL void find_greatest(long n, Blocks blocks, TABLE tracers, GLOBAL double *of_rows) {
    const long thread = THREAD;
    if (thread >= n) return;
    const long j = thread % blocks.cells[1], k = thread / blocks.cells[1] % blocks.cells[2], of = thread / (blocks.cells[1] * blocks.cells[2]);
    double greatest = 0;
    for (long i = 0; i < blocks.cells[0] && tracers[of] != 0; ++i)
        greatest = larger(fabs(density_of(tracers, of)[value_of(blocks, i, j, k)]), greatest);
    of_rows[thread] = greatest;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
