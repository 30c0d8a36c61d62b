/* SPDX-License-Identifier: BSD-3-Clause */
#include <halo.h>
#include <stdio.h>

int main(void) {
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT; /* a ring of 8 blocks of 4 cells, dealt over the ranks there are */
    blocks.n_dims = 1, blocks.n_blocks[0] = 8, blocks.n_cells[0] = 4, blocks.periodic[0] = 1;
    halo_field_desc desc = HALO_FIELD_DESC_INIT; /* a double per cell, one ghost cell at each end of a block */
    desc.name = "u", desc.ghost_low[0] = desc.ghost_high[0] = 1;
    double u[8][6] = { { 0.0 } }; /* the program's own memory: ghost, 4 cells, ghost */
    halo_binding memory = HALO_BINDING_INIT;
    memory.data = u;

    halo_context *context;
    halo_topology *ring;
    halo_field *field;
    halo_exchange *ghosts;
    const int64_t *gids;
    int64_t n;
    if (halo_context_create(NULL, &context) || halo_topology_create_blocks(context, &blocks, &ring) || halo_field_create(ring, &desc, &field) ||
        halo_field_bind_many(field, 6, &memory) || halo_exchange_create(&field, 1, NULL, &ghosts) || halo_topology_local_parts(ring, &gids, &n))
        return fprintf(stderr, "%s\n", halo_last_error()), 1;

    for (int64_t i = 0; i < n; ++i)
        for (int x = 1; x <= 4; ++x) u[i][x] = (double)gids[i]; /* each block writes its number into its own cells */
    if (halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE) || halo_exchange_finish(ghosts, HALO_STREAM_NONE))
        return fprintf(stderr, "%s\n", halo_last_error()), 1;
    for (int64_t i = 0; i < n; ++i) /* and finds its neighbours' numbers in its ghosts */
        printf("block %d: left %g, right %g\n", (int)gids[i], u[i][0], u[i][5]);

    return halo_exchange_destroy(&ghosts) || halo_field_destroy(&field) || halo_topology_destroy(&ring) || halo_context_destroy(&context);
}
