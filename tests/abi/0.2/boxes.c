/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { NX = 12, NY = 8, GHOSTS = 2, N_BOXES = 4 };
#define OUTSIDE (-1.0)

/* Four boxes of several sizes around a hole; the domain is periodic along x. */
static const halo_box boxes[N_BOXES] = {
    { { 0, 0, 0 }, { 5, 8, 1 } },
    { { 5, 0, 0 }, { 12, 2, 1 } },
    { { 5, 5, 0 }, { 12, 8, 1 } },
    { { 9, 2, 0 }, { 12, 5, 1 } },
};

static double value(int64_t x, int64_t y) {
    const int64_t in = (x + NX) % NX;
    for (int i = 0; i < N_BOXES; ++i)
        if (in >= boxes[i].low[0] && in < boxes[i].high[0] && y >= boxes[i].low[1] && y < boxes[i].high[1]) return (double)(in + 100 * y);
    return OUTSIDE; /* no box has this cell: exchanges leave it alone */
}

/* Sets a part to `value` as far as its owned cells go, and to OUTSIDE around; or counts what is wrong. */
static int visit(halo_topology *grid, halo_field *field, int64_t gid, int set) {
    halo_part part = HALO_PART_INIT;
    halo_layout at = HALO_LAYOUT_INIT;
    void *data;
    need(halo_topology_part(grid, gid, &part));
    need(halo_field_layout(field, gid, &at));
    need(halo_field_data(field, gid, 0, &data));
    const halo_box *box = &part.cells;
    int wrong = 0;
    for (int64_t y = box->low[1] - GHOSTS; y < box->high[1] + GHOSTS; ++y)
        for (int64_t x = box->low[0] - GHOSTS; x < box->high[0] + GHOSTS; ++x) {
            const int owned = x >= box->low[0] && x < box->high[0] && y >= box->low[1] && y < box->high[1];
            double *cell = (double *)data + at.first_owned + (x - box->low[0]) * at.stride[0] + (y - box->low[1]) * at.stride[1];
            if (set) *cell = owned ? value(x, y) : OUTSIDE;
            wrong += !set && *cell != value(x, y);
        }
    return wrong;
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 2, desc.domain.high[0] = NX, desc.domain.high[1] = NY, desc.periodic[0] = 1;
    desc.boxes = boxes, desc.n_boxes = N_BOXES; /* gid: place in the list. desc.owner: ranks of your choice */
    halo_topology *grid;
    need(halo_topology_create_boxes(context, &desc, &grid));
    const int64_t *gids;
    int64_t n;
    need(halo_topology_local_parts(grid, &gids, &n)); /* may be none */

    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "u";
    for (int d = 0; d < 2; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = GHOSTS;
    halo_field *field;
    need(halo_field_create(grid, &field_desc, &field));
    need(halo_field_allocate(field, -1));
    halo_exchange *ghosts;
    need(halo_exchange_create(&field, 1, NULL, &ghosts));

    int wrong = 0;
    for (int64_t i = 0; i < n; ++i) visit(grid, field, gids[i], 1);
    need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
    for (int64_t i = 0; i < n; ++i) wrong += visit(grid, field, gids[i], 0);
    printf("%d wrong\n", wrong);

    need(halo_exchange_destroy(&ghosts));
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&grid));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
