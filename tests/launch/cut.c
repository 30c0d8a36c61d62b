/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank of a ring that runs until its network is cut: says when it is under way, how long and why it failed, and that all could be destroyed.
   usage: cut_ring VALUES      in each message */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <halo.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int failed(void) { return fprintf(stderr, "%s\n", halo_last_error()), EXIT_FAILURE; }

int main(int argc, char **argv) {
    const int32_t n = argc > 1 ? atoi(argv[1]) : 1;
    halo_context *context;
    halo_topology *ring;
    halo_field *field;
    halo_exchange *ghosts;
    halo_status status = HALO_SUCCESS;
    double last = 0, begin;
    char text[2048];
    int32_t rank, n_ranks;
    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    if (halo_context_create(NULL, &context) || halo_context_rank(context, &rank, &n_ranks)) return failed();
    blocks.n_dims = 1, blocks.n_blocks[0] = n_ranks, blocks.n_cells[0] = n, blocks.periodic[0] = 1;
    desc.name = "u", desc.ghost_low[0] = desc.ghost_high[0] = n;
    if (halo_topology_create_blocks(context, &blocks, &ring) || halo_field_create(ring, &desc, &field) || halo_field_allocate(field, -1) ||
        halo_exchange_create(&field, 1, NULL, &ghosts))
        return failed();
    if (halo_info(context, HALO_INFO_MODULES, text, sizeof text, NULL)) return failed();
    printf("rank %d goes by %s\n", (int)rank, strtok(text, "\n"));
    if (halo_exchange_describe(ghosts, text, sizeof text, NULL)) return failed();
    printf("%s", text);
    for (int64_t run = 0; status == HALO_SUCCESS; ++run) {
        last = now();
        status = halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE);
        if (status == HALO_SUCCESS) status = halo_exchange_finish(ghosts, HALO_STREAM_NONE);
        if (run == 50) printf("rank %d is under way\n", (int)rank), fflush(stdout);
    }
    begin = now();
    snprintf(text, sizeof text, "%s", halo_last_error());
    printf("rank %d gave up after %.2f s: %s: %s\n", (int)rank, begin - last, halo_status_name(status), text);
    fflush(stdout);
    if (halo_exchange_abandon(ghosts) || halo_exchange_destroy(&ghosts) || halo_field_destroy(&field) || halo_topology_destroy(&ring) ||
        halo_context_destroy(&context))
        return failed();
    printf("rank %d has nothing left after %.2f s\n", (int)rank, now() - begin);
    return EXIT_SUCCESS;
}
