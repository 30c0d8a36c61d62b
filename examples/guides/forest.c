/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

#include <math.h>

#include <halo_levels.h>

enum { MOST = 4096 };

/* A channel of 4 by 2 root blocks, periodic along x. Blocks that the circle of radius 0.6 around (2, 1) crosses are refined, blocks far from it
 * coarsened. */
static int crosses(const halo_leaf *leaf) {
    const double side = ldexp(1, -leaf->level);
    double nearest = 0, farthest = 0;
    for (int d = 0; d < 2; ++d) {
        const double low = (double)leaf->at[d] * side - (d == 0 ? 2 : 1), high = low + side;
        const double inner = low > 0 ? low : high < 0 ? -high : 0, outer = fmax(fabs(low), fabs(high));
        nearest += inner * inner, farthest += outer * outer;
    }
    return nearest <= 0.36 && farthest >= 0.36;
}

int main(void) {
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    halo_tree tree = HALO_TREE_INIT;
    tree.n_roots[0] = 4, tree.n_roots[1] = 2;
    halo_tree_join around = HALO_TREE_JOIN_INIT; /* x high of the tree is x low of the tree */
    around.side = 1;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = 8;
    desc.trees = &tree, desc.n_trees = 1, desc.joins = &around, desc.n_joins = 1;

    /* All roots; then refined three times where the circle is. Every rank makes the same lists. */
    static halo_leaf lists[2][MOST];
    static int32_t marks[MOST], owners[MOST];
    static double weights[MOST];
    int64_t n = 0;
    need(halo_forest_uniform(&desc, 0, sizeof(halo_leaf), lists[0], MOST, &n));
    for (int step = 0; step < 3; ++step) {
        desc.leaves = lists[step % 2], desc.n_leaves = n;
        for (int64_t gid = 0; gid < n; ++gid) marks[gid] = crosses(&desc.leaves[gid]) ? HALO_MARK_REFINE : HALO_MARK_COARSEN;
        need(halo_forest_adapt(&desc, marks, sizeof(halo_leaf), lists[(step + 1) % 2], NULL, MOST, &n));
    }
    desc.leaves = lists[1], desc.n_leaves = n;

    /* Weights are the program's: here a level costs twice as much as the one before. */
    for (int64_t gid = 0; gid < n; ++gid) weights[gid] = ldexp(1, desc.leaves[gid].level);
    need(halo_forest_place(&desc, weights, n_ranks, owners, MOST, &n));
    desc.owner = owners;
    halo_topology *topology;
    need(halo_topology_create_forest(context, &desc, &topology));

    const int64_t *gids;
    int64_t n_local;
    need(halo_topology_local_parts(topology, &gids, &n_local));
    int32_t deepest = 0;
    for (int64_t i = 0; i < n_local; ++i) {
        halo_neighbour neighbours[64]; /* 3 neighbours across each of 4 sides and 4 corners are more than there can be */
        int64_t n_neighbours;
        need(halo_topology_neighbours(topology, gids[i], sizeof(halo_neighbour), neighbours, 64, &n_neighbours));
        const int32_t level = desc.leaves[gids[i]].level;
        if (level > deepest) deepest = level;
        for (int64_t k = 0; k < n_neighbours; ++k)
            if (abs(neighbours[k].level - level) > 1)
                return printf("rank %d: levels %d and %d touch\n", rank, level, neighbours[k].level), EXIT_FAILURE;
    }
    double area = 0;
    for (int64_t gid = 0; gid < n; ++gid) area += ldexp(1, -2 * desc.leaves[gid].level);
    printf("rank %d of %d has %lld of %lld blocks, down to level %d\n", rank, n_ranks, (long long)n_local, (long long)n, deepest);
    need(halo_topology_destroy(&topology));
    need(halo_context_destroy(&context));
    return area == 8 ? EXIT_SUCCESS : EXIT_FAILURE;
}
