/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of C about blocks that the guides show besides whole programs, line for line, on one rank, each with what it has to give. */
/* clang-format off */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers" /* what is not given is zero */
#include <halo_levels.h>
#include <halo_plugin.h>

#include "pieces.h"

/* Two blocks of 4 cells in a line, periodic, with one ghost on each side, in the library's storage: ghost, cells 1 to 4, ghost; ghost, cells 5 to 8, ghost. */
static void line(halo_context *context, halo_topology **grid, halo_field **field, double *values[2]) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 1, desc.n_blocks[0] = 2, desc.n_cells[0] = 4, desc.periodic[0] = 1;
    need(halo_topology_create_blocks(context, &desc, grid));
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "values", field_desc.ghost_low[0] = field_desc.ghost_high[0] = 1;
    need(halo_field_create(*grid, &field_desc, field));
    need(halo_field_allocate(*field, -1));
    for (int64_t gid = 0; gid < 2; ++gid) {
        void *data;
        need(halo_field_data(*field, gid, 0, &data));
        values[gid] = data;
        for (int i = 1; i <= 4; ++i) values[gid][i] = (double)(4 * gid + i);
    }
}

/* docs/boxes.md */
static void boxes(halo_context *context) {
    halo_boxes_desc d = HALO_BOXES_DESC_INIT;
    d.n_parts_per_rank = 1;                          /* a Cartesian code: no boxes given, the domain is cut, one box per rank */
    d.domain.high[0] = 400; d.domain.high[1] = 300; d.domain.high[2] = 200;
    d.periodic[0] = 1;
    halo_topology *grid;
    halo_topology_create_boxes(context, &d, &grid);

    const int64_t *gid; int64_t n;
    halo_topology_local_parts(grid, &gid, &n);
    halo_part mine = HALO_PART_INIT;
    halo_topology_part(grid, gid[0], &mine);         /* mine.cells, and which sides are physical boundaries */
    check(n == 1 && mine.cells.high[0] - mine.cells.low[0] == 400 && mine.cells.high[2] - mine.cells.low[2] == 200, "boxes: the box");
    destroy(NULL, NULL, grid);
}

/* docs/layouts.md: two blocks side by side, periodic */
static void layouts(halo_context *context) {
    enum { n_blocks = 2 };
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 2, desc.n_blocks[0] = n_blocks, desc.n_blocks[1] = 1;
    for (int d = 0; d < 2; ++d) desc.n_cells[d] = 4, desc.periodic[d] = 1;
    halo_topology *grid;
    need(halo_topology_create_blocks(context, &desc, &grid));
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "mapped";
    for (int d = 0; d < 2; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = 1;
    halo_field *u;
    need(halo_field_create(grid, &field_desc, &u));

    int64_t position[6 * 6];                            /* 4 by 4 cells with one ghost around: cells first, ghosts behind them */
    int64_t cells = 0, ghosts = 16;
    for (int y = -1; y < 5; ++y)
        for (int x = -1; x < 5; ++x)
            position[6 * (y + 1) + x + 1] = x >= 0 && x < 4 && y >= 0 && y < 4 ? cells++ : ghosts++;
    for (int64_t gid = 0; gid < n_blocks; ++gid)
        halo_field_map_points(u, gid, position, 6 * 6); /* before storage is bound */

    need(halo_field_allocate(u, -1));
    double *at[n_blocks];
    for (int64_t gid = 0; gid < n_blocks; ++gid) {
        void *data;
        need(halo_field_data(u, gid, 0, &data));
        at[gid] = data;
        for (int i = 0; i < 16; ++i) at[gid][i] = (double)(100 * gid + i);
    }
    halo_exchange *exchange;
    need(halo_exchange_create(&u, 1, NULL, &exchange));
    need(halo_exchange_start(exchange, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    for (int y = 0; y < 4; ++y) {
        check(at[0][position[6 * (y + 1)]] == 100 + 4 * y + 3, "layouts: ghosts to the left");
        check(at[1][position[6 * (y + 1) + 5]] == 4 * y, "layouts: ghosts to the right");
    }
    check(at[0][position[0]] == 115, "layouts: a corner");
    destroy(exchange, u, grid);
}

/* docs/concepts.md */
static void concepts(halo_context *context) {
    halo_join right = {
        1, 0,                            /* part 1 sends, part 0 receives */
        { { 0, 0, 0 }, { 3, 1, 1 } },    /* cells of part 1: x from 0 to 2, y = 0 */
        { { 4, 0, 0 }, { 5, 3, 1 } },    /* ghosts of part 0: x = 4, y from 0 to 2 */
        { 1, 0, 2 },                     /* x of part 0 runs along y of part 1, y along x */
        { 1, -1, 1 }                     /* the first upwards; y of part 0 goes up where x of part 1 goes down */
    };
    const int64_t cells[] = { 4, 3, 1, 3, 4, 1 };
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = 2, desc.cells = cells, desc.n_parts = 2, desc.joins = &right, desc.n_joins = 1, desc.reach = 1;
    halo_topology *parts;
    need(halo_topology_create_regions(context, &desc, &parts));
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "cells", field_desc.ghost_high[0] = 1;
    halo_field *field;
    need(halo_field_create(parts, &field_desc, &field));
    need(halo_field_allocate(field, -1));
    double *at[2];
    halo_layout layouts[2] = { HALO_LAYOUT_INIT, HALO_LAYOUT_INIT };
    for (int64_t gid = 0; gid < 2; ++gid) {
        void *data;
        need(halo_field_data(field, gid, 0, &data));
        need(halo_field_layout(field, gid, &layouts[gid]));
        at[gid] = (double *)data + layouts[gid].first_owned;
    }
    for (int x = 0; x < 3; ++x) at[1][x * layouts[1].stride[0]] = 10 + x;
    halo_exchange *ghosts;
    need(halo_exchange_create(&field, 1, NULL, &ghosts));
    need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));
    for (int y = 0; y < 3; ++y) check(at[0][4 * layouts[0].stride[0] + y * layouts[0].stride[1]] == 12 - y, "concepts: ghosts of part 0");
    destroy(ghosts, field, parts);
}

/* docs/devices.md, where there is a device */
static void devices(halo_context *context) {
    void *my_device_pointer = NULL;
    if (halo_memory_allocate_on(context, HALO_MEMORY_DEVICE, 0, 64 * sizeof(double), &my_device_pointer) != HALO_SUCCESS) {
        printf("no device: %s\n", halo_last_error());
        return;
    }
    halo_topology *grid;
    halo_field *field;
    double *values[2];
    line(context, &grid, &field, values);
    const halo_binding none = HALO_BINDING_INIT;
    for (int64_t gid = 0; gid < 2; ++gid) need(halo_field_bind(field, gid, &none));
    for (int64_t gid = 0; gid < 2; ++gid) {
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = my_device_pointer; /* or one of halo_memory_allocate_on */
        binding.memory = HALO_MEMORY_DEVICE;
        binding.device = 0;
        need(halo_field_bind(field, gid, &binding));
        my_device_pointer = (double *)my_device_pointer + 32;
    }
    my_device_pointer = (double *)my_device_pointer - 64;
    halo_exchange *exchange;
    need(halo_exchange_create(&field, 1, NULL, &exchange));
    const halo_stream stream = HALO_STREAM_DEFAULT; /* NOLINT(performance-no-int-to-ptr) */
    need(halo_exchange_start(exchange, NULL, stream));
    /* kernels on the interior, on any stream */
    need(halo_exchange_finish(exchange, stream));
    /* kernels that read ghosts, in `stream` */
    destroy(exchange, field, grid);
    need(halo_memory_release(context, &my_device_pointer));
}

/* docs/forests.md */
static void fill_coarse(halo_exchange *ghosts, int64_t gid) {
    halo_layout layout = HALO_LAYOUT_INIT;
    halo_boundary outside[8];
    void *data;
    int64_t n;
    need(halo_exchange_coarse_data(ghosts, 0, gid, &data, &layout));
    need(halo_exchange_coarse_boundaries(ghosts, 0, gid, sizeof *outside, outside, 8, &n));
    for (int64_t k = 0; k < n && data; ++k)
        for (int64_t y = outside[k].ghosts.low[1]; y < outside[k].ghosts.high[1]; ++y)
            for (int64_t x = outside[k].ghosts.low[0]; x < outside[k].ghosts.high[0]; ++x) {
                double *column = (double *)data + layout.first_owned + x; /* at y = 0: coarse cells (0, 0) to (3, 3) cover the block */
                const int64_t last = y < 0 ? 0 : 3, before = y < 0 ? 1 : 2, step = layout.stride[1];
                column[y * step] = column[last * step] + (double)llabs(y - last) * (column[last * step] - column[before * step]);
            }
}

static void forests(halo_context *context) {
    halo_tree tree = HALO_TREE_INIT;
    tree.n_roots[0] = 2;
    const halo_leaf leaves[] = { { 0, 1, { 0, 0, 0 } }, { 0, 1, { 1, 0, 0 } }, { 0, 1, { 0, 1, 0 } }, { 0, 1, { 1, 1, 0 } }, { 0, 0, { 1, 0, 0 } } };
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = 8, desc.trees = &tree, desc.n_trees = 1, desc.leaves = leaves, desc.n_leaves = 5;
    halo_topology *blocks;
    need(halo_topology_create_forest(context, &desc, &blocks));
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "u", field_desc.ghost_low[0] = field_desc.ghost_high[0] = field_desc.ghost_low[1] = field_desc.ghost_high[1] = 2;
    halo_field *field;
    need(halo_field_create(blocks, &field_desc, &field));
    need(halo_field_allocate(field, -1));
    double *at[5]; /* the first cell; rows of 12 */
    for (int64_t gid = 0; gid < 5; ++gid) {
        void *data;
        need(halo_field_data(field, gid, 0, &data));
        at[gid] = (double *)data + 2 * 12 + 2;
        const double side = leaves[gid].level == 0 ? 1 : 0.5; /* of a cell; values are x + y */
        for (int j = 0; j < 8; ++j)
            for (int i = 0; i < 8; ++i) at[gid][12 * j + i] = ((double)(8 * (leaves[gid].at[0] + leaves[gid].at[1]) + i + j) + 1) * side;
    }
    halo_exchange *ghosts;
    need(halo_exchange_create(&field, 1, NULL, &ghosts));
    halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE);
    int32_t done = 0;
    while (!done) halo_exchange_test(ghosts, &done);
    halo_exchange_unpack(ghosts, HALO_STREAM_NONE);
    for (int64_t gid = 0; gid < 5; ++gid) fill_coarse(ghosts, gid); /* coarse cells outside the domain */
    halo_exchange_refine(ghosts, HALO_STREAM_NONE);
    /* the block's own ghosts outside the domain: halo_field_boundaries */
    check(at[1][8] == 8.5 && at[1][9] == 9 && at[1][12 * 7 + 8] == 12, "forests: ghosts behind a coarser block, up to the border");
    check(*(at[4] - 1) == 8 && at[4][12 * 7 - 1] == 15 && at[0][8] == 4.5, "forests: ghosts behind finer blocks, and behind one of the same level");
    destroy(ghosts, field, blocks);
}

/* docs/reverse.md */
halo_status keep_larger(void *user, void *values, const void *contributions, int64_t n, halo_type type, int64_t element_bytes);
halo_status keep_larger(void *user, void *values, const void *contributions, int64_t n, halo_type type, int64_t element_bytes) {
    (void)user, (void)type, (void)element_bytes;
    double *mine = values;
    const double *theirs = contributions;
    for (int64_t i = 0; i < n; ++i)
        if (theirs[i] > mine[i]) mine[i] = theirs[i];
    return HALO_SUCCESS;
}

static void reverse(halo_context *context) {
    halo_topology *grid;
    halo_field *density;
    halo_exchange *deposit;
    double *at[2];
    line(context, &grid, &density, at);
    at[1][0] = at[1][5] = 100, at[0][0] = at[0][5] = 0; /* deposited in ghosts: of the cells 4 and 1 */
    halo_exchange_desc d = HALO_EXCHANGE_DESC_INIT;
    d.kind = HALO_KIND_REVERSE;
    d.op = HALO_SUM;                                  /* MIN, MAX, PROD; or HALO_USER with d.combine */
    halo_exchange_create(&density, 1, &d, &deposit);

    halo_exchange_start(deposit, NULL, HALO_STREAM_NONE);
    /* all contributions have been read: ghosts may be zeroed for the next step */
    halo_exchange_finish(deposit, HALO_STREAM_NONE);  /* owned cells now have the sums */
    check(at[0][1] == 101 && at[0][4] == 104 && at[1][1] == 5, "reverse: sums");
    at[1][0] = at[1][5] = 102;
    halo_run run = HALO_RUN_INIT;
    run.op = HALO_MAX;
    halo_exchange_start(deposit, &run, HALO_STREAM_NONE);
    need(halo_exchange_finish(deposit, HALO_STREAM_NONE));
    check(at[0][1] == 102 && at[0][4] == 104, "reverse: greatest values");
    need(halo_exchange_destroy(&deposit));
    d.op = HALO_USER, d.combine = keep_larger;
    need(halo_exchange_create(&density, 1, &d, &deposit));
    at[1][0] = at[1][5] = 103;
    need(halo_exchange_start(deposit, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(deposit, HALO_STREAM_NONE));
    check(at[0][1] == 103 && at[0][4] == 104, "reverse: an operation of the program");
    destroy(deposit, density, grid);
}

/* docs/uniform-blocks.md */
static int n_interiors, n_rims;
static void interior(void) { ++n_interiors; }
static void rim(void) { ++n_rims; }

static void uniform(void) {
    enum { gid = 7, steps = 2 };
    static double my_array[5 * 20 * 20 * 20];
    halo_context *ctx;
    halo_context_create(NULL, &ctx);
    halo_blocks_desc d = HALO_BLOCKS_DESC_INIT;       /* 3 dimensions, not periodic, Morton order */
    for (int i = 0; i < 3; ++i) { d.n_blocks[i] = 4; d.n_cells[i] = 16; d.periodic[i] = 1; }
    halo_topology *grid;
    halo_topology_create_blocks(ctx, &d, &grid);
    halo_field_desc f = HALO_FIELD_DESC_INIT;
    f.name = "u"; f.n_components = 5;
    for (int i = 0; i < 3; ++i) f.ghost_low[i] = f.ghost_high[i] = 2;     /* may be wider than a block; low and high may differ */
    halo_field *u;
    halo_field_create(grid, &f, &u);
    halo_field_allocate(u, -1);                                          /* the library's storage, or bind your own: */

    halo_layout l = HALO_LAYOUT_INIT;
    halo_field_layout(u, gid, &l);                                       /* x fastest, ghosts around, components slowest */
    halo_binding b = HALO_BINDING_INIT;
    b.data = my_array;                                                   /* l.elements values */
    halo_field_bind(u, gid, &b);
    check(l.elements == (int64_t)(sizeof my_array / sizeof my_array[0]), "uniform: the layout");
    for (int64_t i = 0; i < l.elements; ++i) my_array[i] = -1; /* which the ghosts around, of zeros, are not */
    halo_exchange *x;
    halo_exchange_create(&u, 1, NULL, &x);            /* several fields of several types go in one message per peer */
    for (int s = 0; s < steps; ++s) {
        halo_exchange_start(x, NULL, HALO_STREAM_NONE);
        interior();                                   /* cells that need no ghosts: halo_field_interior_rim */
        halo_exchange_finish(x, HALO_STREAM_NONE);
        rim();
    }
    check(n_interiors == steps && n_rims == steps && my_array[0] == 0 && my_array[l.first_owned] == -1, "uniform: ghosts");
    destroy(x, u, grid);
    need(halo_context_destroy(&ctx));
}

static void vectors(halo_context *context) {
    enum { part_stride = 6 };
    double storage[2 * part_stride], *vector = storage, *unused[2];
    for (int i = 0; i < 2 * part_stride; ++i) storage[i] = i;
    halo_topology *grid;
    halo_field *u;
    halo_exchange *x;
    line(context, &grid, &u, unused);
    need(halo_exchange_create(&u, 1, NULL, &x));
    void *parts[] = { vector, vector + part_stride };                    /* two local parts; the list is copied, the memory stays until finish */
    halo_run run = HALO_RUN_INIT;
    run.data = parts, run.n_data = 2;
    halo_exchange_start(x, &run, HALO_STREAM_NONE);
    need(halo_exchange_finish(x, HALO_STREAM_NONE));
    check(storage[0] == 10 && storage[5] == 7 && storage[6] == 4 && storage[11] == 1, "uniform: vectors");
    destroy(x, u, grid);
}

/* docs/writing-a-plugin.md */
static int32_t query(const halo_host *host, char *why, size_t why_bytes) {
    (void)host;
    snprintf(why, why_bytes, "it is an example");
    return 0;
}
static const halo_transport_ops ops;
extern const halo_transport_plugin halo_transport_plugin_v1;
const halo_transport_plugin halo_transport_plugin_v1 = {
    HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, sizeof(halo_transport_plugin), "mywire", "1.0", query, &ops,
};

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));
    boxes(context), concepts(context), devices(context), forests(context), layouts(context), reverse(context), vectors(context);
    need(halo_context_destroy(&context));
    uniform();
    char why[32];
    check(halo_transport_plugin_v1.query(NULL, why, sizeof why) == 0 && strcmp(why, "it is an example") == 0, "writing a plugin");
    printf("%d wrong\n", n_wrong);
    return n_wrong != 0;
}
