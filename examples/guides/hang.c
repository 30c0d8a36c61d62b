/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <string.h>

#include <halo_channel.h>

#include "need.h"

enum { STEPS = 3 };
enum { DENSITY, SPEED };

static void exchange(halo_exchange *one) {
    need(halo_exchange_start(one, NULL, HALO_STREAM_NONE));
    const halo_status status = halo_exchange_finish(one, HALO_STREAM_NONE);
    char text[2000];
    if (status == HALO_TIMEOUT && halo_exchange_describe(one, text, sizeof text, NULL) == HALO_SUCCESS) fprintf(stderr, "%s", text);
    need(status); /* one may also go on to wait: finish again; or halo_exchange_abandon, and destroy */
}

/* A channel from rank 0 to the last rank, which polls it. Rank 0 does not send. */
static void poll_channel(halo_context *context, int32_t rank, int32_t last) {
    const halo_channel_key key = { 0, 7, 0, HALO_ELEMENT(-1, 0, 0), 0 };
    halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
    halo_group_desc separate = HALO_GROUP_DESC_INIT;
    halo_channel *channel;
    halo_group *group;
    int32_t done = 0, state;
    desc.send_rank = 0, desc.receive_rank = last, desc.count = 100, separate.messages = HALO_MESSAGES_PER_CHANNEL;
    if (rank == 0 || rank == last) need(halo_channel_register(context, &key, &desc, &channel));
    need(halo_group_create(context, &channel, rank == 0 || rank == last, &separate, &group));
    if (rank == last) need(halo_channel_start_receive(channel));
    while (rank == last && !done) need(halo_channel_try_receive(channel, &done, &state));
}

/* What the last of several ranks does otherwise than the others: leaves, order, other, ends, stops. And: channel. */
int main(int argc, char **argv) {
    const char *const way = argc > 1 ? argv[1] : "";
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));
    const int differs = n_ranks > 1 && rank == n_ranks - 1;
    if (n_ranks > 1 && !strcmp(way, "channel")) poll_channel(context, rank, n_ranks - 1);

    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT; /* a ring of 8 blocks of 4 cells */
    blocks.n_dims = 1, blocks.n_blocks[0] = 8, blocks.n_cells[0] = 4, blocks.periodic[0] = 1;
    halo_topology *ring;
    halo_field *fields[2];
    halo_exchange *ghosts[2];
    need(halo_topology_create_blocks(context, &blocks, &ring));
    for (int f = 0; f < 2; ++f) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = f == DENSITY ? "density" : "speed", desc.ghost_low[0] = desc.ghost_high[0] = 1;
        need(halo_field_create(ring, &desc, &fields[f]));
        need(halo_field_allocate(fields[f], -1));
    }
    const int first = differs && !strcmp(way, "other") ? SPEED : DENSITY; /* made in another order */
    need(halo_exchange_create(&fields[first], 1, NULL, &ghosts[first]));
    need(halo_exchange_create(&fields[1 - first], 1, NULL, &ghosts[1 - first]));

    for (int step = 0; step < STEPS; ++step) {
        const int now = differs && step == STEPS - 1;
        double change = 1.0 / (step + 1), most;
        if (now && !strcmp(way, "leaves")) break; /* it has converged, as it thinks */
        if (now && !strcmp(way, "ends")) return EXIT_SUCCESS;
        if (now && !strcmp(way, "stops")) raise(SIGSTOP);
        if (now && !strcmp(way, "order")) exchange(ghosts[SPEED]);
        exchange(ghosts[DENSITY]);
        if (!(now && !strcmp(way, "order"))) exchange(ghosts[SPEED]);
        need(halo_context_allreduce(context, &change, &most, 1, HALO_FLOAT64, HALO_MAX));
    }
    need(halo_context_barrier(context));
    need(halo_context_destroy_with_all(&context));
    return EXIT_SUCCESS;
}
