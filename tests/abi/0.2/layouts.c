/* SPDX-License-Identifier: BSD-3-Clause */
#include <halo.h>
#include <stdint.h>

#include "need.h"

enum { CELLS = 20, ALIGNMENT = 64 };

static int aligned(const double *value) { return (uintptr_t)value % ALIGNMENT == 0; }

int main(void) {
    halo_context *context;
    halo_topology *grid;
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 2;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = 2, blocks.n_cells[d] = CELLS, blocks.periodic[d] = 1;
    need(halo_context_create(NULL, &context));
    need(halo_topology_create_blocks(context, &blocks, &grid));

    halo_layout_desc rows = HALO_LAYOUT_DESC_INIT;                          /* x fastest, owned cells of each row from a multiple of 64 bytes on */
    for (int d = 0; d < 2; ++d) rows.ghost_low[d] = rows.ghost_high[d] = 3; /* room for the widest ghosts of all fields */

    halo_field *fields[2];
    const char *const names[2] = { "u", "flux" };
    for (int32_t f = 0; f < 2; ++f) { /* ghosts of 3 and of 1 cell */
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = names[f];
        for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = f == 0 ? 3 : 1;
        need(halo_field_create(grid, &desc, &fields[f]));
        need(halo_field_set_layout(fields[f], &rows));
        need(halo_field_allocate(fields[f], -1));
    }

    const int64_t *gids;
    int64_t n;
    int unaligned = 0;
    need(halo_topology_local_parts(grid, &gids, &n));
    halo_layout at = HALO_LAYOUT_INIT; /* the same for both fields, and here for all parts */
    if (n > 0) need(halo_field_layout(fields[0], gids[0], &at));
    for (int64_t i = 0; i < n; ++i) {
        void *u, *flux;
        need(halo_field_data(fields[0], gids[i], 0, &u));
        need(halo_field_data(fields[1], gids[i], 0, &flux));
        for (int64_t y = 0; y < CELLS; ++y) {
            const int64_t row = at.first_owned + y * at.stride[1]; /* one index for both */
            unaligned += !aligned((double *)u + row) + !aligned((double *)flux + row);
            for (int64_t x = 0; x < CELLS; ++x) ((double *)flux)[row + x] = ((double *)u)[row + x] + 1;
        }
    }

    /* Temporaries of tiles that a part is worked off in: each has ghosts and aligned rows of its own, as many tiles as there are threads. */
    enum { TILES = 4 };
    const int64_t points[3] = { 10, 5, 1 };
    halo_layout tile = HALO_LAYOUT_INIT;
    need(halo_layout_fill(&rows, points, sizeof(double), 1, 1, &tile));
    void *memory;
    need(halo_memory_allocate(context, HALO_MEMORY_HOST, TILES * tile.elements * (int64_t)sizeof(double), &memory));
    for (int t = 0; t < TILES; ++t)
        for (int64_t y = -3; y < points[1] + 3; ++y) {
            double *first = (double *)memory + t * tile.elements + tile.first_owned + y * tile.stride[1];
            unaligned += !aligned(first);
            for (int64_t x = -3; x < points[0] + 3; ++x) first[x] = (double)t;
        }
    need(halo_memory_release(context, &memory));
    printf("%d rows are not aligned\n", unaligned);

    for (int32_t f = 0; f < 2; ++f) need(halo_field_destroy(&fields[f]));
    need(halo_topology_destroy(&grid));
    need(halo_context_destroy(&context));
    return unaligned != 0;
}
