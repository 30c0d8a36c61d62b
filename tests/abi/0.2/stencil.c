/* SPDX-License-Identifier: BSD-3-Clause */
#include <halo_stencil.h>

#include "need.h"

enum { BLOCKS = 3, CELLS = 8, N = BLOCKS * CELLS };
enum { U, LAP, OUT, N_FIELDS }; /* numbers of fields, in the order in which they are added */

static double value(int64_t x, int64_t y) { /* of a cell of the periodic grid */
    return (double)(((x + N) % N) * ((x + N) % N) * 7 % 31 + ((y + N) % N) * ((y + N) % N) % 17);
}
static double laplacian(int64_t x, int64_t y) { return value(x - 1, y) + value(x + 1, y) + value(x, y - 1) + value(x, y + 1) - 4 * value(x, y); }
static double smoothed(int64_t x, int64_t y) { /* what the parts must find */
    return value(x, y) - 0.125 * (laplacian(x - 1, y) + laplacian(x + 1, y) + laplacian(x, y - 1) + laplacian(x, y + 1) - 4 * laplacian(x, y));
}

/* lap = Laplacian of u; out = u - Laplacian of lap / 8 */
static halo_stencil *describe(void) {
    halo_stencil_desc desc = HALO_STENCIL_DESC_INIT;
    desc.n_dims = 2, desc.cells[0] = desc.cells[1] = CELLS;
    halo_stencil *stencil;
    need(halo_stencil_create(&desc, &stencil));
    const char *names[N_FIELDS] = { "u", "lap", "out" };
    for (int32_t f = 0, number; f < N_FIELDS; ++f) {
        halo_stencil_field_desc field = HALO_STENCIL_FIELD_DESC_INIT;
        field.name = names[f], field.temporary = f == LAP;
        need(halo_stencil_add_field(stencil, &field, &number));
    }
    const halo_stencil_access in_lap[] = { { LAP, HALO_STENCIL_WRITE, { 0, 0, 0 }, { 0, 0, 0 }, HALO_STENCIL_ALL, 0 },
                                           { U, HALO_STENCIL_READ, { -1, -1, 0 }, { 1, 1, 0 }, HALO_STENCIL_ALL, 0 } };
    const halo_stencil_access in_out[] = { { OUT, HALO_STENCIL_WRITE, { 0, 0, 0 }, { 0, 0, 0 }, HALO_STENCIL_ALL, 0 },
                                           { U, HALO_STENCIL_READ, { 0, 0, 0 }, { 0, 0, 0 }, HALO_STENCIL_ALL, 0 },
                                           { LAP, HALO_STENCIL_READ, { -1, -1, 0 }, { 1, 1, 0 }, HALO_STENCIL_ALL, 0 } };
    halo_stencil_stage_desc stage = HALO_STENCIL_STAGE_DESC_INIT;
    int32_t number;
    stage.name = "lap", stage.accesses = in_lap, stage.n_accesses = 2;
    need(halo_stencil_add_stage(stencil, &stage, &number));
    stage.name = "out", stage.accesses = in_out, stage.n_accesses = 3;
    need(halo_stencil_add_stage(stencil, &stage, &number));
    need(halo_stencil_analyse(stencil));
    return stencil;
}

static double *cell(halo_field *field, int64_t gid, int64_t x, int64_t y) { /* of a block, or of its ghosts */
    halo_layout at = HALO_LAYOUT_INIT;
    void *data;
    need(halo_field_layout(field, gid, &at));
    need(halo_field_data(field, gid, 0, &data));
    return (double *)data + at.first_owned + x * at.stride[0] + y * at.stride[1];
}

static double around(halo_field *f, int64_t gid, int64_t x, int64_t y) {
    return *cell(f, gid, x - 1, y) + *cell(f, gid, x + 1, y) + *cell(f, gid, x, y - 1) + *cell(f, gid, x, y + 1) - 4 * *cell(f, gid, x, y);
}

int main(void) {
    halo_stencil *stencil = describe();
    char text[2048];
    need(halo_stencil_describe(stencil, text, sizeof text, NULL));

    halo_context *context;
    need(halo_context_create(NULL, &context));
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 2;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = BLOCKS, blocks.n_cells[d] = CELLS, blocks.periodic[d] = 1;
    halo_topology *grid;
    need(halo_topology_create_blocks(context, &blocks, &grid));
    halo_field *fields[N_FIELDS];
    for (int32_t f = 0; f < N_FIELDS; ++f) { /* with the ghosts that each needs */
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        need(halo_stencil_fill_field_desc(stencil, f, &desc));
        need(halo_field_create(grid, &desc, &fields[f]));
        need(halo_field_allocate(fields[f], -1));
    }
    halo_exchange *ghosts; /* of the first group, which is the only one */
    need(halo_stencil_create_exchange(stencil, 0, fields, N_FIELDS, NULL, &ghosts));

    const int64_t *gids;
    int64_t n;
    int32_t rank, n_ranks;
    int wrong = 0;
    need(halo_context_rank(context, &rank, &n_ranks));
    need(halo_topology_local_parts(grid, &gids, &n));
    for (int set = 1; set >= 0; --set) { /* set u; then compute, and look */
        for (int64_t i = 0; i < n; ++i) {
            halo_part part = HALO_PART_INIT;
            halo_stencil_stage run = HALO_STENCIL_STAGE_INIT;
            need(halo_topology_part(grid, gids[i], &part));
            need(halo_stencil_get_stage(stencil, 0, &run));
            for (int64_t y = run.low[1]; !set && y < CELLS + run.high[1]; ++y) /* lap: one cell farther on all sides */
                for (int64_t x = run.low[0]; x < CELLS + run.high[0]; ++x) *cell(fields[LAP], gids[i], x, y) = around(fields[U], gids[i], x, y);
            for (int64_t y = 0; y < CELLS; ++y)
                for (int64_t x = 0; x < CELLS; ++x) {
                    double *u = cell(fields[U], gids[i], x, y), *out = cell(fields[OUT], gids[i], x, y);
                    if (set) *u = value(part.cells.low[0] + x, part.cells.low[1] + y);
                    if (set) continue;
                    *out = *u - 0.125 * around(fields[LAP], gids[i], x, y);
                    wrong += *out != smoothed(part.cells.low[0] + x, part.cells.low[1] + y);
                }
        }
        if (set) need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
        if (set) need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
    }
    if (rank == 0) printf("%s", text);
    printf("%d wrong\n", wrong);

    need(halo_exchange_destroy(&ghosts));
    for (int32_t f = 0; f < N_FIELDS; ++f) need(halo_field_destroy(&fields[f]));
    need(halo_topology_destroy(&grid));
    need(halo_context_destroy(&context));
    need(halo_stencil_destroy(&stencil));
    return wrong != 0;
}
