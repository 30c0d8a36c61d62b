/* SPDX-License-Identifier: BSD-3-Clause */
/* Three sweeps over 4 by 4 blocks of 6 by 6 cells, each of ghosts and then of a mean over 9 cells: what comes of it, block by block, is the same bits
   whatever carried the ghosts, however many ranks there are, and in whatever language: also as C++, digest.py, and examples/fpm. */
#include <halo.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 6, SIDE = CELLS + 2, MOST = 16 };

static void need(halo_status status) {
    if (status == HALO_SUCCESS) return;
    fprintf(stderr, "%s\n", halo_last_error());
    exit(EXIT_FAILURE);
}

static void sweep(double (*u)[SIDE]) {
    double mean[SIDE][SIDE];
    for (int y = 1; y <= CELLS; ++y)
        for (int x = 1; x <= CELLS; ++x) {
            double sum = 0.0;
            for (int j = -1; j <= 1; ++j)
                for (int i = -1; i <= 1; ++i) sum += u[y + j][x + i];
            mean[y][x] = sum / 9.0;
        }
    for (int y = 1; y <= CELLS; ++y) memcpy(&u[y][1], &mean[y][1], CELLS * sizeof(double));
}

static uint64_t digest(const double *values, int n) {
    uint64_t hash = 0;
    for (int i = 0; i < n; ++i) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        hash = (hash << 7 | hash >> 57) ^ bits;
    }
    return hash;
}

int main(void) {
    static double u[MOST][SIDE][SIDE];
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    halo_binding memory = HALO_BINDING_INIT;
    halo_context *context;
    halo_topology *grid;
    halo_field *field;
    halo_exchange *ghosts;
    const int64_t *gids;
    int64_t n;
    blocks.n_dims = 2;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = 4, blocks.n_cells[d] = CELLS, blocks.periodic[d] = 1, desc.ghost_low[d] = desc.ghost_high[d] = 1;
    desc.name = "u";
    memory.data = u;
    need(halo_context_create(NULL, &context));
    need(halo_topology_create_blocks(context, &blocks, &grid));
    need(halo_field_create(grid, &desc, &field));
    need(halo_field_bind_many(field, SIDE * SIDE, &memory));
    need(halo_exchange_create(&field, 1, NULL, &ghosts));
    need(halo_topology_local_parts(grid, &gids, &n));
    for (int64_t i = 0; i < n; ++i)
        for (int y = 1; y <= CELLS; ++y)
            for (int x = 1; x <= CELLS; ++x) u[i][y][x] = 1.0 / (double)(1 + gids[i] * 100 + y * 10 + x);
    for (int round = 0; round < 3; ++round) {
        need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
        need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
        for (int64_t i = 0; i < n; ++i) sweep(u[i]);
    }
    for (int64_t i = 0; i < n; ++i) printf("block %02d: %016" PRIX64 "\n", (int)gids[i], digest(&u[i][0][0], SIDE * SIDE));
    need(halo_exchange_destroy(&ghosts));
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&grid));
    need(halo_context_destroy(&context));
    return 0;
}
