/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { NX = 8, NY = 6, GHOSTS = 1 };
static const halo_box boxes[] = { { { 0, 0, 0 }, { 4, 3, 1 } }, { { 4, 0, 0 }, { 8, 3, 1 } }, { { 0, 3, 0 }, { 8, 6, 1 } } };
static const halo_box other_boxes[] = { { { 0, 0, 0 }, { 3, 6, 1 } }, { { 3, 0, 0 }, { 8, 6, 1 } } };

static double place(int64_t x, int64_t y) { return (double)((x + NX) % NX + 100 * ((y + NY) % NY)); }

/* Copies of a point, those of all periodic images together: boxes that have it when they are `low` wider below and `high` above. */
static double copies(int64_t x, int64_t y, int64_t low, int64_t high) {
    int n = 0;
    for (int64_t part = 0; part < 3; ++part)
        for (int64_t sx = x - NX; sx <= x + NX; sx += NX)
            for (int64_t sy = y - NY; sy <= y + NY; sy += NY)
                n += sx >= boxes[part].low[0] - low && sx < boxes[part].high[0] + high && sy >= boxes[part].low[1] - low &&
                     sy < boxes[part].high[1] + high;
    return n;
}

typedef double (*value_fn)(int64_t x, int64_t y);
static double one(int64_t x, int64_t y) { return (void)x, (void)y, 1.0; }
static double zero(int64_t x, int64_t y) { return (void)x, (void)y, 0.0; }
static double copies_with_ghosts(int64_t x, int64_t y) { return copies(x, y, GHOSTS, GHOSTS); }
static double copies_of_nodes(int64_t x, int64_t y) { return copies(x, y, 0, 1); }

/* Points of all local parts with `margin` points of ghosts; `nodes` is 1 for a field on nodes. Sets them, or counts those that are something else. */
static int visit(halo_topology *grid, halo_field *field, int64_t margin, int64_t nodes, value_fn value, int set) {
    const int64_t *gids;
    int64_t n;
    int differ = 0;
    need(halo_topology_local_parts(grid, &gids, &n));
    for (int64_t i = 0; i < n; ++i) {
        halo_part part = HALO_PART_INIT;
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data;
        need(halo_topology_part(grid, gids[i], &part));
        need(halo_field_layout(field, gids[i], &layout));
        need(halo_field_data(field, gids[i], 0, &data));
        for (int64_t y = part.cells.low[1] - margin; y < part.cells.high[1] + margin + nodes; ++y)
            for (int64_t x = part.cells.low[0] - margin; x < part.cells.high[0] + margin + nodes; ++x) {
                double *point =
                    (double *)data + layout.first_owned + (x - part.cells.low[0]) * layout.stride[0] + (y - part.cells.low[1]) * layout.stride[1];
                if (set) *point = value(x, y);
                differ += *point != value(x, y);
            }
    }
    return differ;
}

static halo_topology *make_grid(halo_context *context, const halo_box *list, int64_t n) {
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 2, desc.domain.high[0] = NX, desc.domain.high[1] = NY, desc.periodic[0] = desc.periodic[1] = 1;
    desc.boxes = list, desc.n_boxes = n;
    halo_topology *grid;
    need(halo_topology_create_boxes(context, &desc, &grid));
    return grid;
}

static halo_field *make_field(halo_topology *grid, int32_t centring, int32_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = centring == HALO_CENTRE_NODE ? "nodes" : "cells", desc.centring = centring;
    desc.ghost_low[0] = desc.ghost_low[1] = desc.ghost_high[0] = desc.ghost_high[1] = ghosts;
    halo_field *field;
    need(halo_field_create(grid, &desc, &field));
    need(halo_field_allocate(field, -1));
    return field;
}

static void run(halo_exchange *exchange) {
    need(halo_exchange_start(exchange, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    need(halo_exchange_destroy(&exchange));
}

static halo_exchange *make_sum(halo_field *field, int32_t kind, int32_t shared) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind, desc.op = HALO_SUM, desc.shared = shared;
    halo_exchange *exchange;
    need(halo_exchange_create(&field, 1, &desc, &exchange));
    return exchange;
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));
    halo_topology *grid = make_grid(context, boxes, 3), *other = make_grid(context, other_boxes, 2);
    halo_field *cells = make_field(grid, HALO_CENTRE_CELL, GHOSTS), *nodes = make_field(grid, HALO_CENTRE_NODE, 0);
    halo_field *moved = make_field(other, HALO_CENTRE_CELL, GHOSTS);
    halo_exchange *exchange;

    visit(grid, cells, GHOSTS, 0, zero, 1);
    visit(grid, cells, 0, 0, place, 1);
    need(halo_exchange_create(&cells, 1, NULL, &exchange)); /* FillBoundary(periodicity) */
    run(exchange);
    int wrong = visit(grid, cells, GHOSTS, 0, place, 0);

    halo_transfer_desc copy = HALO_TRANSFER_DESC_INIT; /* other.ParallelCopy(cells, 0, 0, 1, no source ghosts, 1 destination ghost, periodicity) */
    for (int side = 0; side < 6; ++side) copy.destination_ghosts[side] = side % 3 < 2 ? GHOSTS : 0;
    need(halo_exchange_create_transfer(&cells, &moved, 1, &copy, &exchange));
    run(exchange);
    wrong += visit(other, moved, GHOSTS, 0, place, 0);

    visit(grid, cells, GHOSTS, 0, one, 1); /* SumBoundary(periodicity) of a field in cells */
    run(make_sum(cells, HALO_KIND_REVERSE, HALO_SHARED_KEEP));
    wrong += visit(grid, cells, 0, 0, copies_with_ghosts, 0);

    visit(grid, nodes, 0, 1, one, 1); /* SumBoundary(0, 1, no ghosts, periodicity) of a field on nodes */
    run(make_sum(nodes, HALO_KIND_SHARED_REDUCE, HALO_SHARED_ONLY));
    wrong += visit(grid, nodes, 0, 1, copies_of_nodes, 0);
    printf("%d wrong\n", wrong);

    need(halo_field_destroy(&cells));
    need(halo_field_destroy(&nodes));
    need(halo_field_destroy(&moved));
    need(halo_topology_destroy(&grid));
    need(halo_topology_destroy(&other));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
