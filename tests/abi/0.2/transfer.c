/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { NX = 12, NY = 8 };

static double value(int64_t x, int64_t y) { return (double)((x + NX) % NX + 100 * ((y + NY) % NY)); }

static halo_field *make_field(halo_topology *grid, int32_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u";
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    halo_field *field;
    need(halo_field_create(grid, &desc, &field));
    need(halo_field_allocate(field, -1));
    return field;
}

/* Sets this rank's cells, `ghosts` of them around each part; or counts those that are wrong. */
static int visit(halo_topology *grid, halo_field *field, int64_t ghosts, int set) {
    const int64_t *gids;
    int64_t n;
    int wrong = 0;
    need(halo_topology_local_parts(grid, &gids, &n));
    for (int64_t i = 0; i < n; ++i) {
        halo_part part = HALO_PART_INIT;
        halo_layout at = HALO_LAYOUT_INIT;
        void *data;
        need(halo_topology_part(grid, gids[i], &part));
        need(halo_field_layout(field, gids[i], &at));
        need(halo_field_data(field, gids[i], 0, &data));
        const int64_t *low = part.cells.low, *high = part.cells.high;
        for (int64_t y = low[1] - ghosts; y < high[1] + ghosts; ++y)
            for (int64_t x = low[0] - ghosts; x < high[0] + ghosts; ++x) {
                double *cell = (double *)data + at.first_owned + (x - low[0]) * at.stride[0] + (y - low[1]) * at.stride[1];
                if (set) *cell = value(x, y);
                wrong += *cell != value(x, y);
            }
    }
    return wrong;
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));

    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT; /* the solver's grid: blocks of 3 by 2 cells */
    blocks.n_dims = 2, blocks.n_blocks[0] = blocks.n_blocks[1] = 4, blocks.n_cells[0] = NX / 4, blocks.n_cells[1] = NY / 4;
    blocks.periodic[0] = blocks.periodic[1] = 1;
    const halo_box columns[] = { { { 0, 0, 0 }, { 5, NY, 1 } }, { { 5, 0, 0 }, { NX, NY, 1 } } };
    halo_boxes_desc boxes = HALO_BOXES_DESC_INIT; /* the same domain cut for something else: two columns */
    boxes.n_dims = 2, boxes.domain.high[0] = NX, boxes.domain.high[1] = NY, boxes.periodic[0] = boxes.periodic[1] = 1;
    boxes.boxes = columns, boxes.n_boxes = 2;
    halo_topology *solver, *other;
    need(halo_topology_create_blocks(context, &blocks, &solver));
    need(halo_topology_create_boxes(context, &boxes, &other));
    halo_field *from = make_field(solver, 0), *to = make_field(other, 1);

    halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT; /* HALO_TRANSFER_COPY */
    for (int d = 0; d < 2; ++d) desc.destination_ghosts[d] = desc.destination_ghosts[d + 3] = 1;
    halo_exchange *move;
    need(halo_exchange_create_transfer(&from, &to, 1, &desc, &move));
    visit(solver, from, 0, 1);
    need(halo_exchange_start(move, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(move, HALO_STREAM_NONE));
    const int wrong = visit(other, to, 1, 0); /* ghosts, too */
    printf("%d wrong\n", wrong);

    need(halo_exchange_destroy(&move));
    need(halo_field_destroy(&from));
    need(halo_field_destroy(&to));
    need(halo_topology_destroy(&solver));
    need(halo_topology_destroy(&other));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
