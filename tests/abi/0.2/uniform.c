/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { BLOCKS = 4, CELLS = 8, N = BLOCKS * CELLS, GHOSTS = 2 };

static double value(int64_t x, int64_t y) { /* of a cell of the periodic grid */
    return (double)((x + N) % N + 1000 * ((y + N) % N));
}

/* Sets this rank's cells, `margin` ghosts around each block too; or counts those that are wrong. */
static int visit(halo_topology *grid, halo_field *field, int64_t margin, int set) {
    const int64_t *gids; /* this rank's blocks */
    int64_t n;
    int wrong = 0;
    need(halo_topology_local_parts(grid, &gids, &n));
    for (int64_t i = 0; i < n; ++i) {
        halo_part part = HALO_PART_INIT;
        halo_layout at = HALO_LAYOUT_INIT; /* x fastest, ghosts around */
        void *data;
        need(halo_topology_part(grid, gids[i], &part));
        need(halo_field_layout(field, gids[i], &at));
        need(halo_field_data(field, gids[i], 0, &data));
        double *u = (double *)data + at.first_owned;
        for (int64_t y = -margin; y < CELLS + margin; ++y)
            for (int64_t x = -margin; x < CELLS + margin; ++x) {
                double *cell = &u[x * at.stride[0] + y * at.stride[1]];
                if (set) *cell = value(part.cells.low[0] + x, part.cells.low[1] + y);
                wrong += *cell != value(part.cells.low[0] + x, part.cells.low[1] + y);
            }
    }
    return wrong;
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context)); /* MPI_Init, if you call it, comes before */

    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT; /* 4 by 4 blocks of 8 by 8 cells, dealt over the ranks */
    blocks.n_dims = 2;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = BLOCKS, blocks.n_cells[d] = CELLS, blocks.periodic[d] = 1;
    halo_topology *grid;
    need(halo_topology_create_blocks(context, &blocks, &grid));

    halo_field_desc desc = HALO_FIELD_DESC_INIT; /* a double for each cell */
    desc.name = "u", desc.ghost_low[0] = desc.ghost_low[1] = desc.ghost_high[0] = desc.ghost_high[1] = GHOSTS;
    halo_field *field;
    need(halo_field_create(grid, &desc, &field));
    need(halo_field_allocate(field, -1)); /* the library's storage; your own: halo_field_bind */
    halo_exchange *ghosts;
    need(halo_exchange_create(&field, 1, NULL, &ghosts));

    visit(grid, field, 0, 1);
    need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
    /* ... cells that need no ghosts: halo_field_interior_rim ... */
    need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
    const int wrong = visit(grid, field, GHOSTS, 0); /* sides and corners, across ranks and round the domain */
    printf("%d wrong\n", wrong);

    need(halo_exchange_destroy(&ghosts));
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&grid));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
