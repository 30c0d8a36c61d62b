/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { NX = 12, NY = 10 };

static double value(int64_t x, int64_t y) { /* of a cell of the periodic domain */
    return (double)((x + NX) % NX + 100 * ((y + NY) % NY));
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context)); /* MPI_Init, if you call it, comes before */

    halo_boxes_desc domain = HALO_BOXES_DESC_INIT;
    domain.n_parts_per_rank = 1; /* and no boxes given: the domain is cut, one box for each rank */
    domain.n_dims = 2, domain.domain.high[0] = NX, domain.domain.high[1] = NY;
    domain.periodic[0] = domain.periodic[1] = 1;
    halo_topology *grid;
    need(halo_topology_create_boxes(context, &domain, &grid));
    const int64_t *gid;
    int64_t n;
    need(halo_topology_local_parts(grid, &gid, &n));
    halo_part mine = HALO_PART_INIT;
    need(halo_topology_part(grid, gid[0], &mine));
    const halo_box box = mine.cells;
    const int64_t nx = box.high[0] - box.low[0], ny = box.high[1] - box.low[1];

    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u", desc.ghost_low[0] = desc.ghost_low[1] = desc.ghost_high[0] = desc.ghost_high[1] = 1;
    halo_field *field;
    need(halo_field_create(grid, &desc, &field));
    double *u = calloc((size_t)((nx + 2) * (ny + 2)), sizeof *u); /* your array: x fastest, one ghost around */
    if (!u) return EXIT_FAILURE;
    halo_binding memory = HALO_BINDING_INIT;
    memory.data = u;
    need(halo_field_bind(field, gid[0], &memory));
    halo_exchange *ghosts;
    need(halo_exchange_create(&field, 1, NULL, &ghosts));

    for (int64_t y = 0; y < ny; ++y)
        for (int64_t x = 0; x < nx; ++x) u[(y + 1) * (nx + 2) + x + 1] = value(box.low[0] + x, box.low[1] + y);
    need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE)); /* Irecv, pack, Isend */
    /* ... cells that need no ghosts ... */
    need(halo_exchange_finish(ghosts, HALO_STREAM_NONE)); /* Waitall, unpack */

    int wrong = 0; /* sides and corners, across ranks and round the domain */
    for (int64_t y = -1; y <= ny; ++y)
        for (int64_t x = -1; x <= nx; ++x) wrong += u[(y + 1) * (nx + 2) + x + 1] != value(box.low[0] + x, box.low[1] + y);
    printf("%d wrong\n", wrong);

    need(halo_exchange_destroy(&ghosts));
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&grid));
    need(halo_context_destroy(&context));
    free(u);
    return wrong != 0;
}
