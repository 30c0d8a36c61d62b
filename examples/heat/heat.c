/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat spreads over a periodic square of 4 x 4 blocks. The pattern of every solver on libhalo: start the exchange, update the cells
 * that need no ghosts, finish, update the rim. The field has two sets of storage, "now" and "next", which change places every step.
 * Runs alone and under any mpirun. */
#include <halo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCKS = 4, CELLS = 32, STEPS = 500 };
static const double rate = 0.2, turn = 2 * 3.14159265358979323846 / (BLOCKS * CELLS);

static void check(halo_status status) {
    if (status == HALO_SUCCESS) return;
    fprintf(stderr, "%s\n", halo_last_error());
    exit(EXIT_FAILURE);
}

/* Cell (0, 0) of a block, and its layout. */
static double *cells(halo_field *heat, int64_t gid, int32_t set, halo_layout *layout) {
    void *data;
    check(halo_field_layout(heat, gid, layout));
    check(halo_field_data(heat, gid, set, &data));
    return (double *)data + layout->first_owned;
}

/* One step in a box of cells of a block: each goes towards the mean of its four neighbours. */
static void spread(halo_field *heat, int64_t gid, int32_t now, const halo_box *box) {
    halo_layout layout = HALO_LAYOUT_INIT;
    const double *from = cells(heat, gid, now, &layout);
    double *to = cells(heat, gid, 1 - now, &layout);
    const int64_t row = layout.stride[1];
    for (int64_t j = box->low[1]; j < box->high[1]; ++j)
        for (int64_t c = j * row + box->low[0]; c < j * row + box->high[0]; ++c)
            to[c] = from[c] + rate * (from[c - 1] + from[c + 1] + from[c - row] + from[c + row] - 4 * from[c]);
}

/* A wave over the whole square, at a cell of a block. */
static double wave(halo_topology *grid, int64_t gid, int64_t i, int64_t j) {
    halo_part part = HALO_PART_INIT;
    check(halo_topology_part(grid, gid, &part));
    return sin(turn * (double)(part.cells.low[0] + i)) * sin(turn * (double)(part.cells.low[1] + j));
}

int main(void) {
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    halo_layout layout = HALO_LAYOUT_INIT;
    blocks.n_dims = 2;
    desc.name = "heat";
    desc.n_sets = 2;
    for (int d = 0; d < 2; ++d) {
        blocks.n_blocks[d] = BLOCKS;
        blocks.n_cells[d] = CELLS;
        blocks.periodic[d] = desc.ghost_low[d] = desc.ghost_high[d] = 1;
    }
    halo_context *context;
    halo_topology *grid;
    halo_field *heat;
    halo_exchange *ghosts;
    const int64_t *gids;
    int64_t n;
    int32_t rank, n_ranks;
    check(halo_context_create(NULL, &context));
    check(halo_context_rank(context, &rank, &n_ranks));
    check(halo_topology_create_blocks(context, &blocks, &grid));
    check(halo_topology_local_parts(grid, &gids, &n));
    check(halo_field_create(grid, &desc, &heat));
    check(halo_field_allocate(heat, -1));
    check(halo_exchange_create(&heat, 1, NULL, &ghosts));

    for (int64_t p = 0; p < n; ++p) {
        double *u = cells(heat, gids[p], 0, &layout);
        for (int64_t j = 0; j < CELLS; ++j)
            for (int64_t i = 0; i < CELLS; ++i) u[i + j * layout.stride[1]] = wave(grid, gids[p], i, j);
    }
    for (int32_t step = 0; step < STEPS; ++step) {
        const int32_t now = step % 2;
        halo_box interior, rim[6];
        int32_t n_rim;
        halo_run run = HALO_RUN_INIT;
        run.n_fields = 1, run.sets = &now;
        check(halo_exchange_start(ghosts, &run, HALO_STREAM_NONE));
        for (int64_t p = 0; p < n; ++p) {
            check(halo_field_interior_rim(heat, gids[p], 1, &interior, rim, &n_rim));
            spread(heat, gids[p], now, &interior);
        }
        check(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
        for (int64_t p = 0; p < n; ++p) {
            check(halo_field_interior_rim(heat, gids[p], 1, &interior, rim, &n_rim));
            for (int32_t r = 0; r < n_rim; ++r) spread(heat, gids[p], now, &rim[r]);
        }
    }

    /* The wave keeps its shape and shrinks by the same factor every step. */
    const double left = pow(1 - 4 * rate * (1 - cos(turn)), STEPS);
    double error = 0;
    for (int64_t p = 0; p < n; ++p) {
        const double *u = cells(heat, gids[p], STEPS % 2, &layout);
        for (int64_t j = 0; j < CELLS; ++j)
            for (int64_t i = 0; i < CELLS; ++i) error = fmax(error, fabs(u[i + j * layout.stride[1]] - left * wave(grid, gids[p], i, j)));
    }
    check(halo_context_allreduce(context, &error, &error, 1, HALO_FLOAT64, HALO_MAX));
    if (rank == 0) printf("%d ranks: after %d steps %.1f %% of the wave is left, largest error %.1e\n", n_ranks, STEPS, 100 * left, error);

    check(halo_exchange_destroy(&ghosts));
    check(halo_field_destroy(&heat));
    check(halo_topology_destroy(&grid));
    check(halo_context_destroy(&context));
    return error < 1e-12 ? EXIT_SUCCESS : EXIT_FAILURE;
}
