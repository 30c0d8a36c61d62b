/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { NX = 8, NY = 6, GHOSTS = 1 };
static const halo_box boxes[] = { { { 0, 0, 0 }, { 4, 3, 1 } }, { { 4, 0, 0 }, { 8, 3, 1 } }, { { 0, 3, 0 }, { 8, 6, 1 } } };
static const halo_box other_boxes[] = { { { 0, 0, 0 }, { 3, 6, 1 } }, { { 3, 0, 0 }, { 8, 6, 1 } } };

static double place(int64_t x, int64_t y) { return (double)((x + NX) % NX + 100 * ((y + NY) % NY)); }

/* The part that owns a node: the lowest that has it, or an image of it. */
static int64_t owner(int64_t x, int64_t y) {
    for (int64_t part = 0; part < 3; ++part)
        for (int64_t sx = x - NX; sx <= x + NX; sx += NX)
            for (int64_t sy = y - NY; sy <= y + NY; sy += NY)
                if (sx >= boxes[part].low[0] && sx <= boxes[part].high[0] && sy >= boxes[part].low[1] && sy <= boxes[part].high[1]) return part;
    return -1;
}

static int is_valid(int64_t part, int64_t x, int64_t y) {
    return x >= boxes[part].low[0] && x <= boxes[part].high[0] && y >= boxes[part].low[1] && y <= boxes[part].high[1];
}

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

/* What a part has at a point. */
typedef double (*value_fn)(int64_t part, int64_t x, int64_t y);
static double one(int64_t part, int64_t x, int64_t y) { return (void)part, (void)x, (void)y, 1.0; }
static double zero(int64_t part, int64_t x, int64_t y) { return (void)part, (void)x, (void)y, 0.0; }
static double of_place(int64_t part, int64_t x, int64_t y) { return (void)part, place(x, y); }
static double of_place_and_one(int64_t part, int64_t x, int64_t y) { return (void)part, place(x, y) + 1; }
static double of_part(int64_t part, int64_t x, int64_t y) { return (void)x, (void)y, (double)part; }
static double of_owner(int64_t part, int64_t x, int64_t y) { return (void)part, (double)owner(x, y); }
static double of_owner_where_valid(int64_t part, int64_t x, int64_t y) { return is_valid(part, x, y) ? (double)owner(x, y) : (double)part; }
static double cells_and_ghosts(int64_t part, int64_t x, int64_t y) { return (void)part, copies(x, y, GHOSTS, GHOSTS); }
static double valid_nodes(int64_t part, int64_t x, int64_t y) { return (void)part, copies(x, y, 0, 1); }
static double nodes_and_ghosts(int64_t part, int64_t x, int64_t y) { return (void)part, copies(x, y, GHOSTS, GHOSTS + 1); }
static double sums_where_valid(int64_t part, int64_t x, int64_t y) { return is_valid(part, x, y) ? nodes_and_ghosts(part, x, y) : 1.0; }

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
                if (set) *point = value(gids[i], x, y);
                differ += *point != value(gids[i], x, y);
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

static halo_field *make_field(halo_topology *grid, const char *name, int32_t centring, int32_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name, desc.centring = centring;
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

static void run_one(halo_field *field, int32_t kind, int32_t shared) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind, desc.op = HALO_SUM, desc.shared = shared;
    halo_exchange *exchange;
    need(halo_exchange_create(&field, 1, &desc, &exchange));
    run(exchange);
}

static void run_transfer(halo_field *source, halo_field *destination, int32_t op, int32_t ghosts) {
    halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT;
    desc.op = op;
    for (int side = 0; side < 6; ++side) desc.destination_ghosts[side] = side % 3 < 2 ? ghosts : 0;
    halo_exchange *exchange;
    need(halo_exchange_create_transfer(&source, &destination, 1, &desc, &exchange));
    run(exchange);
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));
    halo_topology *grid = make_grid(context, boxes, 3), *other = make_grid(context, other_boxes, 2);
    halo_field *cells = make_field(grid, "cells", HALO_CENTRE_CELL, GHOSTS), *moved = make_field(other, "moved", HALO_CENTRE_CELL, GHOSTS);
    halo_field *nodes = make_field(grid, "nodes", HALO_CENTRE_NODE, GHOSTS), *bare = make_field(grid, "bare", HALO_CENTRE_NODE, 0);

    visit(grid, cells, GHOSTS, 0, zero, 1);
    visit(grid, cells, 0, 0, of_place, 1);
    run_one(cells, HALO_KIND_GHOSTS, HALO_SHARED_KEEP); /* cells.FillBoundary(periodicity) */
    int wrong = visit(grid, cells, GHOSTS, 0, of_place, 0);

    run_transfer(cells, moved, HALO_TRANSFER_COPY, GHOSTS); /* moved.ParallelCopy(cells, 0, 0, 1, 0 source, 1 destination ghost, periodicity) */
    wrong += visit(other, moved, GHOSTS, 0, of_place, 0);

    visit(other, moved, GHOSTS, 0, one, 1);
    run_transfer(cells, moved, HALO_TRANSFER_ADD, 0); /* moved.ParallelAdd(cells, 0, 0, 1, 0 source, 0 destination ghosts, periodicity) */
    wrong += visit(other, moved, 0, 0, of_place_and_one, 0);

    visit(grid, cells, GHOSTS, 0, one, 1);
    run_one(cells, HALO_KIND_REVERSE, HALO_SHARED_KEEP); /* cells.SumBoundary(periodicity) */
    wrong += visit(grid, cells, 0, 0, cells_and_ghosts, 0);

    visit(grid, nodes, GHOSTS, 1, of_part, 1);
    run_one(nodes, HALO_KIND_GHOSTS, HALO_SHARED_ONLY); /* nodes.OverrideSync(periodicity): copies become equal, ghosts stay */
    wrong += visit(grid, nodes, GHOSTS, 1, of_owner_where_valid, 0);

    visit(grid, nodes, GHOSTS, 1, of_part, 1);
    run_one(nodes, HALO_KIND_GHOSTS, HALO_SHARED_OWNER); /* nodes.FillBoundaryAndSync(periodicity) */
    wrong += visit(grid, nodes, GHOSTS, 1, of_owner, 0);

    visit(grid, nodes, GHOSTS, 1, one, 1);
    run_one(nodes, HALO_KIND_REVERSE, HALO_SHARED_OWNER); /* nodes.SumBoundary(periodicity): sums go to owners, */
    run_one(nodes, HALO_KIND_GHOSTS, HALO_SHARED_ONLY);   /* and from there to the other copies; ghosts stay */
    wrong += visit(grid, nodes, GHOSTS, 1, sums_where_valid, 0);

    visit(grid, nodes, GHOSTS, 1, one, 1);
    run_one(nodes, HALO_KIND_SHARED_REDUCE, HALO_SHARED_OWNER); /* nodes.SumBoundary(0, 1, 1 source, 1 destination ghost, periodicity) */
    wrong += visit(grid, nodes, GHOSTS, 1, nodes_and_ghosts, 0);

    visit(grid, bare, 0, 1, one, 1);
    run_one(bare, HALO_KIND_SHARED_REDUCE, HALO_SHARED_ONLY); /* bare.SumBoundary(periodicity): a field without ghosts */
    wrong += visit(grid, bare, 0, 1, valid_nodes, 0);
    printf("%d wrong\n", wrong);

    need(halo_field_destroy(&cells));
    need(halo_field_destroy(&moved));
    need(halo_field_destroy(&nodes));
    need(halo_field_destroy(&bare));
    need(halo_topology_destroy(&grid));
    need(halo_topology_destroy(&other));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
