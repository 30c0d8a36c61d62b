/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

#include <halo_levels.h>

enum { ROOTS = 2, CELLS = 8, MOST = 64 };

/* Values of a block, or the coarse ones beside it: (0, 0) is the first. */
struct view {
    double *first;
    int64_t stride[2];
};

static double *at(struct view v, int64_t x, int64_t y) { return v.first + (x * v.stride[0] + y * v.stride[1]); }

static struct view view_of(void *data, const halo_layout *layout) {
    struct view v = { (double *)data + layout->first_owned, { layout->stride[0], layout->stride[1] } };
    return v;
}

static struct view values(halo_field *field, int64_t gid) {
    halo_layout layout = HALO_LAYOUT_INIT;
    void *data;
    need(halo_field_layout(field, gid, &layout));
    need(halo_field_data(field, gid, 0, &data));
    return view_of(data, &layout);
}

static struct view coarse_values(halo_exchange *exchange, int64_t gid) {
    halo_layout layout = HALO_LAYOUT_INIT;
    void *data;
    need(halo_exchange_coarse_data(exchange, 0, gid, &data, &layout));
    return view_of(data, &layout);
}

static int64_t half(int64_t n) { return n >= 0 ? n / 2 : (n - 1) / 2; }

static double largest(struct view fine, int64_t x, int64_t y) {
    double most = *at(fine, 2 * x, 2 * y);
    for (int part = 1; part < 4; ++part) {
        const double other = *at(fine, 2 * x + part % 2, 2 * y + part / 2);
        if (other > most) most = other;
    }
    return most;
}

/* Of materials there are no means: a coarse cell gets the largest number of its four, a fine one that of the coarse cell it lies in. */
static void apply(halo_exchange *exchange, halo_field *material, int64_t gid, int32_t what) {
    halo_level_region regions[MOST];
    int64_t n;
    need(halo_exchange_level_regions(exchange, 0, gid, sizeof *regions, regions, MOST, &n));
    if (n == 0) return; /* all around it are blocks of its level: it has no coarse cells */
    const struct view fine = values(material, gid), coarse = coarse_values(exchange, gid);
    for (int64_t i = 0; i < n; ++i) {
        const halo_box box = regions[i].points;
        if (regions[i].what != what) continue;
        for (int64_t y = box.low[1]; y < box.high[1]; ++y)
            for (int64_t x = box.low[0]; x < box.high[0]; ++x)
                if (what == HALO_REGION_PROLONGATE)
                    *at(fine, x, y) = *at(coarse, half(x), half(y));
                else
                    *at(coarse, x, y) = largest(fine, x, y);
    }
}

static double number(int32_t level, int64_t x, int64_t y) { return (double)((7 * x + 3 * y + level) % 5); }

/* What a cell of a level holds: the lower left root is refined. */
static double wanted(int32_t level, int64_t x, int64_t y) {
    const int refined = x >> level < CELLS && y >> level < CELLS;
    double most = 0;
    if (level == 1) return refined ? number(1, x, y) : number(0, x / 2, y / 2);
    if (!refined) return number(0, x, y);
    for (int part = 0; part < 4; ++part) {
        const double one = number(1, 2 * x + part % 2, 2 * y + part / 2);
        if (one > most) most = one;
    }
    return most;
}

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));

    halo_tree tree = HALO_TREE_INIT;
    halo_leaf roots[ROOTS * ROOTS], leaves[MOST];
    const int32_t marks[ROOTS * ROOTS] = { HALO_MARK_REFINE };
    halo_forest_desc forest = HALO_FOREST_DESC_INIT;
    tree.n_roots[0] = tree.n_roots[1] = ROOTS;
    forest.n_dims = 2, forest.n_cells[0] = forest.n_cells[1] = CELLS, forest.trees = &tree, forest.n_trees = 1;
    need(halo_forest_uniform(&forest, 0, sizeof *roots, roots, ROOTS * ROOTS, &forest.n_leaves));
    forest.leaves = roots;
    need(halo_forest_adapt(&forest, marks, sizeof *leaves, leaves, NULL, MOST, &forest.n_leaves));
    forest.leaves = leaves;

    halo_topology *blocks;
    halo_field *material;
    halo_exchange *ghosts;
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "material";
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 2;
    need(halo_topology_create_forest(context, &forest, &blocks));
    need(halo_field_create(blocks, &desc, &material));
    need(halo_field_allocate(material, -1));
    need(halo_field_set_restriction(material, HALO_RESTRICT_OWN));
    need(halo_field_set_prolongation(material, HALO_PROLONG_OWN));
    need(halo_exchange_create(&material, 1, NULL, &ghosts));

    const int64_t *gids;
    int64_t n;
    int32_t done = 0;
    need(halo_topology_local_parts(blocks, &gids, &n));
    for (int64_t i = 0; i < n; ++i) {
        halo_part part = HALO_PART_INIT;
        need(halo_topology_part(blocks, gids[i], &part));
        for (int64_t y = 0; y < CELLS; ++y)
            for (int64_t x = 0; x < CELLS; ++x)
                *at(values(material, gids[i]), x, y) = number(part.level, part.cells.low[0] + x, part.cells.low[1] + y);
        apply(ghosts, material, gids[i], HALO_REGION_RESTRICT); /* what goes to coarser blocks */
    }
    need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
    while (!done) need(halo_exchange_test(ghosts, &done));
    need(halo_exchange_unpack(ghosts, HALO_STREAM_NONE));
    for (int64_t i = 0; i < n; ++i) {
        apply(ghosts, material, gids[i], HALO_REGION_RESTRICT_GHOSTS);
        apply(ghosts, material, gids[i], HALO_REGION_PROLONGATE);
    }
    need(halo_exchange_refine(ghosts, HALO_STREAM_NONE));

    int wrong = 0;
    for (int64_t i = 0; i < n; ++i) {
        halo_part part = HALO_PART_INIT;
        need(halo_topology_part(blocks, gids[i], &part));
        for (int64_t y = -2; y < CELLS + 2; ++y)
            for (int64_t x = -2; x < CELLS + 2; ++x) {
                const int64_t px = part.cells.low[0] + x, py = part.cells.low[1] + y, end = (int64_t)(ROOTS * CELLS) << part.level;
                if (px < 0 || py < 0 || px >= end || py >= end) continue;
                wrong += *at(values(material, gids[i]), x, y) != wanted(part.level, px, py);
            }
    }
    need(halo_exchange_destroy(&ghosts));
    need(halo_field_destroy(&material));
    need(halo_topology_destroy(&blocks));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
