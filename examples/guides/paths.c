/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "need.h"

enum { BLOCKS = 4, CELLS = 16, COMPONENTS = 4, GHOSTS = 2, RUNS = 24 }; /* the first 19 runs choose */

int main(int argc, char **argv) { /* "own": storage of the C library's */
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    for (int d = 0; d < 3; ++d) blocks.n_blocks[d] = BLOCKS, blocks.n_cells[d] = CELLS, blocks.periodic[d] = 1;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u", desc.n_components = COMPONENTS;
    for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = GHOSTS;
    halo_topology *grid;
    halo_field *field;
    halo_exchange *ghosts;
    const int64_t *gids;
    int64_t n;
    need(halo_topology_create_blocks(context, &blocks, &grid));
    need(halo_topology_local_parts(grid, &gids, &n));
    need(halo_field_create(grid, &desc, &field));
    halo_layout at = HALO_LAYOUT_INIT;
    need(n > 0 ? halo_field_layout(field, gids[0], &at) : HALO_SUCCESS);
    halo_binding own = HALO_BINDING_INIT;
    own.data = argc > 1 && !strcmp(argv[1], "own") ? calloc((size_t)(n * at.elements), sizeof(double)) : NULL;
    need(own.data ? halo_field_bind_many(field, at.elements, &own) : halo_field_allocate(field, -1));
    need(halo_exchange_create(&field, 1, NULL, &ghosts));
    for (int run = 0; run < RUNS; ++run) {
        need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
        need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
    }

    char text[8192];
    need(halo_info(context, HALO_INFO_MODULES, text, sizeof text, NULL)); /* what this context has opened */
    if (rank == 0) printf("%s", text);
    need(halo_exchange_describe(ghosts, text, sizeof text, NULL)); /* what this exchange has done with it */
    if (rank == 0) printf("%s", text);
    need(halo_exchange_destroy(&ghosts));
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&grid));
    need(halo_context_destroy(&context));
    free(own.data);
    return EXIT_SUCCESS;
}
