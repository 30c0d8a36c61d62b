/* SPDX-License-Identifier: BSD-3-Clause */
/* Three contexts after each other, in each a ring of blocks whose ghosts must be their neighbours' values. */
#include <stdio.h>

#include <halo.h>

#define CELLS 4
#define BLOCKS 8

static int turn(void) {
    halo_context *context;
    halo_topology *ring;
    halo_field *field;
    halo_exchange *ghosts;
    double u[BLOCKS][CELLS + 2] = { { 0 } };
    const int64_t *gids;
    int64_t n, total;
    int wrong = 0;
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    halo_binding memory = HALO_BINDING_INIT;
    blocks.n_dims = 1, blocks.n_blocks[0] = BLOCKS, blocks.n_cells[0] = CELLS, blocks.periodic[0] = 1;
    desc.name = "u", desc.ghost_low[0] = desc.ghost_high[0] = 1;
    memory.data = u;
    if (halo_context_create(NULL, &context) || halo_topology_create_blocks(context, &blocks, &ring) || halo_field_create(ring, &desc, &field) ||
        halo_field_bind_many(field, CELLS + 2, &memory) || halo_exchange_create(&field, 1, NULL, &ghosts) ||
        halo_topology_local_parts(ring, &gids, &n))
        return fprintf(stderr, "%s\n", halo_last_error()), 1;
    for (int64_t i = 0; i < n; ++i)
        for (int x = 1; x <= CELLS; ++x) u[i][x] = (double)gids[i];
    if (halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE) || halo_exchange_finish(ghosts, HALO_STREAM_NONE))
        return fprintf(stderr, "%s\n", halo_last_error()), 1;
    for (int64_t i = 0; i < n; ++i)
        wrong += u[i][0] != (double)((gids[i] + BLOCKS - 1) % BLOCKS) || u[i][CELLS + 1] != (double)((gids[i] + 1) % BLOCKS);
    total = n;
    if (halo_context_allreduce(context, &total, &total, 1, HALO_INT64, HALO_SUM)) return fprintf(stderr, "%s\n", halo_last_error()), 1;
    if (wrong || total != BLOCKS) return fprintf(stderr, "%d ghosts are wrong, of %d blocks\n", wrong, (int)total), 1;
    return halo_exchange_destroy(&ghosts) || halo_field_destroy(&field) || halo_topology_destroy(&ring) || halo_context_destroy(&context);
}

int main(void) { return turn() || turn() || turn(); }
