/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

#include <math.h>

#include <halo_levels.h>
#include <halo_particles.h>

enum { MOST = 1024, CELLS = 8, STEPS = 50 };

typedef struct tracer {
    int64_t id;
    double at[2]; /* in cells of the part that it is in */
} tracer;

/* Blocks near the middle of a domain of 4 by 2 are refined. */
static int32_t mark(const halo_leaf *leaf) {
    const double side = ldexp(1, -leaf->level);
    const double x = ((double)leaf->at[0] + 0.5) * side - 2, y = ((double)leaf->at[1] + 0.5) * side - 1;
    return x * x + y * y < 0.6 ? HALO_MARK_REFINE : HALO_MARK_KEEP;
}

/* A step of 0.05 in a flow to the right that waves up and down. */
static void move(tracer *one, const halo_part *part) {
    const double cells = ldexp(CELLS, part->level); /* in 1 of the domain */
    const double x = ((double)part->cells.low[0] + one->at[0]) / cells;
    one->at[0] += 0.05 * cells;
    one->at[1] += 0.05 * cells * (x - 1) * (x - 3);
}

int main(void) {
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    /* A tree of 4 by 2 roots, periodic both ways; its leaves after two refinements. */
    halo_tree tree = HALO_TREE_INIT;
    tree.n_roots[0] = 4, tree.n_roots[1] = 2;
    halo_tree_join around[2] = { HALO_TREE_JOIN_INIT, HALO_TREE_JOIN_INIT };
    around[0].side = 1, around[1].side = 3;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = CELLS;
    desc.trees = &tree, desc.n_trees = 1, desc.joins = around, desc.n_joins = 2;
    static halo_leaf lists[2][MOST];
    static int32_t marks[MOST];
    int64_t n_leaves = 0;
    need(halo_forest_uniform(&desc, 0, sizeof(halo_leaf), lists[0], MOST, &n_leaves));
    for (int step = 0; step < 2; ++step) {
        desc.leaves = lists[step], desc.n_leaves = n_leaves;
        for (int64_t gid = 0; gid < n_leaves; ++gid) marks[gid] = mark(&lists[step][gid]);
        need(halo_forest_adapt(&desc, marks, sizeof(halo_leaf), lists[1 - step], NULL, MOST, &n_leaves));
    }
    desc.leaves = lists[0], desc.n_leaves = n_leaves;
    halo_topology *topology;
    need(halo_topology_create_forest(context, &desc, &topology));

    /* One column: an array of structs, with the position in it. */
    const int64_t bytes = sizeof(tracer);
    const halo_particle_vector position = { { 0, 0, 0 }, 0, { offsetof(tracer, at[0]), offsetof(tracer, at[1]), 0 } };
    halo_particles_desc of_tracers = HALO_PARTICLES_DESC_INIT;
    of_tracers.column_bytes = &bytes, of_tracers.position = &position;
    halo_particles *tracers;
    need(halo_particles_create(topology, &of_tracers, &tracers));

    /* A tracer in the middle of each cell. */
    const int64_t *gids;
    int64_t n_parts, n_all = 0;
    need(halo_topology_local_parts(topology, &gids, &n_parts));
    static void *data[MOST];
    static int64_t counts[MOST], room[MOST];
    for (int64_t part = 0; part < n_parts; ++part) {
        counts[part] = room[part] = CELLS * CELLS;
        tracer *list = data[part] = malloc((size_t)room[part] * sizeof(tracer));
        if (!list) return EXIT_FAILURE;
        for (int64_t i = 0; i < CELLS * CELLS; ++i)
            list[i] = (tracer){ gids[part] * CELLS * CELLS + i, { (double)(i % CELLS) + 0.5, (double)(i / CELLS) + 0.5 } };
    }

    halo_particles_arrays arrays = HALO_PARTICLES_ARRAYS_INIT;
    arrays.n_parts = arrays.n_data = n_parts, arrays.data = data;
    for (int step = 0; step < STEPS; ++step) {
        for (int64_t part = 0; part < n_parts; ++part) {
            halo_part known = HALO_PART_INIT;
            need(halo_topology_part(topology, gids[part], &known));
            for (int64_t i = 0; i < counts[part]; ++i) move((tracer *)data[part] + i, &known);
        }
        arrays.counts = counts;
        need(halo_particles_start(tracers, &arrays));
        /* Here a solver computes what needs no particles. */
        int64_t n;
        static int64_t after[MOST];
        need(halo_particles_counts(tracers, after, MOST, &n));
        for (int64_t part = 0; part < n_parts; ++part) {
            if (after[part] <= room[part]) continue;
            room[part] = 2 * after[part];
            if (!(data[part] = realloc(data[part], (size_t)room[part] * sizeof(tracer)))) return EXIT_FAILURE;
        }
        arrays.counts = room;
        need(halo_particles_finish(tracers, &arrays));
        for (int64_t part = 0; part < n_parts; ++part) counts[part] = after[part];
    }

    /* None is lost; the sum depends on who is where and in which order, and is the same for every number of ranks. */
    int64_t found[2] = { 0, 0 };
    for (int64_t part = 0; part < n_parts; ++part) {
        found[0] += counts[part];
        for (int64_t i = 0; i < counts[part]; ++i) found[1] += (((tracer *)data[part])[i].id + 1) * (gids[part] + 1) * (i + 1);
        free(data[part]);
    }
    need(halo_context_allreduce(context, found, found, 2, HALO_INT64, HALO_SUM));
    n_all = n_leaves * CELLS * CELLS;
    if (rank == 0)
        printf("%lld of %lld tracers in %lld blocks; order: %lld\n", (long long)found[0], (long long)n_all, (long long)n_leaves, (long long)found[1]);
    need(halo_particles_destroy(&tracers));
    need(halo_topology_destroy(&topology));
    need(halo_context_destroy(&context));
    return found[0] == n_all ? EXIT_SUCCESS : EXIT_FAILURE;
}
