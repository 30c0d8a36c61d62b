/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { BLOCKS = 8, CELLS = 8, N = BLOCKS * CELLS, STEPS = N };

/* Values of a block with storage: (0, 0) is its first cell. NULL: it has none. */
static double *values(halo_field *smoke, int64_t gid, halo_layout *at) {
    void *data;
    need(halo_field_layout(smoke, gid, at));
    need(halo_field_data(smoke, gid, 0, &data));
    return data ? (double *)data + at->first_owned : NULL;
}

static double puff(int64_t x, int64_t y) { return x < 4 && y < 4 ? 1 + (double)x + 10 * (double)y : 0; }

/* Smoke comes to a block without storage: here it gets some, which the library fills with `fill` before it unpacks. */
static halo_status arrives(void *user, const halo_arrival *arrival) {
    ++*(int *)user;
    return halo_field_allocate(arrival->field, arrival->gid);
}

/* Everything moves up and to the right by a cell. Returns whether there is still something. */
static int move(double *u, const halo_layout *at) {
    int any = 0;
    for (int64_t y = CELLS - 1; y >= 0; --y)
        for (int64_t x = CELLS - 1; x >= 0; --x) {
            double *const cell = &u[x * at->stride[0] + y * at->stride[1]];
            *cell = cell[-at->stride[0] - at->stride[1]];
            any |= *cell != 0;
        }
    return any;
}

int main(void) {
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    blocks.n_dims = 2;
    for (int d = 0; d < 2; ++d) blocks.n_blocks[d] = BLOCKS, blocks.n_cells[d] = CELLS, blocks.periodic[d] = 1;
    halo_field_desc desc = HALO_FIELD_DESC_INIT; /* a ghost below in each direction: what moves up and to the right reads no others */
    desc.name = "smoke", desc.ghost_low[0] = desc.ghost_low[1] = 1;
    desc.sparse = 1, desc.threshold = 0, desc.fill = 0;
    int arrivals = 0;
    halo_exchange_desc ghosts = HALO_EXCHANGE_DESC_INIT;
    ghosts.arrival = arrives, ghosts.arrival_user = &arrivals;
    halo_topology *grid;
    halo_field *smoke;
    halo_exchange *exchange;
    const int64_t *gids;
    int64_t n;
    need(halo_topology_create_blocks(context, &blocks, &grid));
    need(halo_topology_local_parts(grid, &gids, &n));
    need(halo_field_create(grid, &desc, &smoke));
    need(halo_exchange_create(&smoke, 1, &ghosts, &exchange));

    int wrong = 0;
    halo_layout at = HALO_LAYOUT_INIT;
    const halo_binding none = HALO_BINDING_INIT; /* no data: unbinds */
    if (n > 0 && gids[0] == 0) {                 /* one block of 64 has something */
        need(halo_field_allocate(smoke, 0));
        double *const u = values(smoke, 0, &at);
        for (int64_t y = 0; y < CELLS; ++y)
            for (int64_t x = 0; x < CELLS; ++x) u[x * at.stride[0] + y * at.stride[1]] = puff(x, y);
    }
    for (int step = 0; step <= STEPS; ++step) {
        int64_t stored = 0;
        for (int64_t i = 0; i < n; ++i) stored += values(smoke, gids[i], &at) != NULL;
        need(halo_context_allreduce(context, &stored, &stored, 1, HALO_INT64, HALO_SUM));
        if (step % 15 == 0 && rank == 0) printf("step %2d: %d of %d blocks have storage\n", step, (int)stored, BLOCKS * BLOCKS);
        if (step == STEPS) break;
        need(halo_exchange_start(exchange, NULL, HALO_STREAM_NONE));
        need(halo_exchange_finish(exchange, HALO_STREAM_NONE));
        for (int64_t i = 0; i < n; ++i) {
            double *const u = values(smoke, gids[i], &at);
            if (u && !move(u, &at)) need(halo_field_bind(smoke, gids[i], &none)); /* it has left: the storage goes back */
        }
    }
    for (int64_t i = 0; i < n; ++i) { /* once around */
        halo_part part = HALO_PART_INIT;
        const double *const u = values(smoke, gids[i], &at);
        need(halo_topology_part(grid, gids[i], &part));
        for (int64_t y = 0; y < CELLS; ++y)
            for (int64_t x = 0; x < CELLS; ++x) {
                const double is = u ? u[x * at.stride[0] + y * at.stride[1]] : desc.fill;
                wrong += is != puff(part.cells.low[0] + x, part.cells.low[1] + y);
            }
    }
    halo_exchange_stats stats = HALO_EXCHANGE_STATS_INIT;
    need(halo_exchange_get_stats(exchange, &stats));
    int64_t counts[4] = { stats.sparse_sent, stats.sparse_sent - stats.sparse_null, arrivals, wrong };
    need(halo_context_allreduce(context, counts, counts, 4, HALO_INT64, HALO_SUM));
    if (rank == 0)
        printf("of %d regions %d had data; storage was given %d times; %d wrong\n", (int)counts[0], (int)counts[1], (int)counts[2], (int)counts[3]);

    need(halo_exchange_destroy(&exchange));
    need(halo_field_destroy(&smoke));
    need(halo_topology_destroy(&grid));
    need(halo_context_destroy(&context));
    return counts[3] != 0;
}
