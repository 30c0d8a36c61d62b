/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

#include <math.h>
#include <string.h>

#include <halo_levels.h>

enum { ROOTS = 4, CELLS = 8, DEEPEST = 2, STEPS = 48, ADAPT_EVERY = 4, MOST = 4096 };
static const double velocity[2] = { 1, 0.5 };

/* All that belongs to one list of blocks. */
struct mesh {
    halo_leaf leaves[MOST];
    int32_t owners[MOST];
    int64_t n;
    halo_topology *topology;
    const int64_t *local; /* gids of this rank's blocks */
    int64_t n_local;
    halo_field *u, *flux;
    halo_exchange *ghosts, *fluxes;
};

/* A square of ROOTS x ROOTS root blocks, periodic both ways. */
static halo_forest_desc describe(const struct mesh *mesh) {
    static halo_tree tree = HALO_TREE_INIT;
    static halo_tree_join around[2] = { HALO_TREE_JOIN_INIT, HALO_TREE_JOIN_INIT };
    tree.n_roots[0] = tree.n_roots[1] = ROOTS, around[0].side = 1, around[1].side = 3;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = CELLS;
    desc.trees = &tree, desc.n_trees = 1, desc.joins = around, desc.n_joins = 2;
    desc.leaves = mesh->leaves, desc.n_leaves = mesh->n, desc.owner = mesh->owners;
    return desc;
}

/* Blocks that stay on their rank keep the storage that the field had before, if there was one. */
static halo_field *make_field(halo_topology *topology, const char *name, int32_t centring, int32_t ghosts, const halo_field *before) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    halo_field *field;
    desc.name = name, desc.centring = centring;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    need(halo_field_create(topology, &desc, &field));
    need(before ? halo_field_allocate_from(field, before) : halo_field_allocate(field, -1));
    return field;
}

/* Ranks for a list of blocks, a topology, fields on it, and their exchanges. */
static void build(halo_context *context, struct mesh *mesh, const struct mesh *before) {
    int32_t rank, n_ranks;
    int64_t n;
    halo_forest_desc desc = describe(mesh);
    halo_exchange_desc of_fluxes = HALO_EXCHANGE_DESC_INIT;
    of_fluxes.kind = HALO_KIND_FLUXES;
    need(halo_context_rank(context, &rank, &n_ranks));
    need(halo_forest_place(&desc, NULL, n_ranks, mesh->owners, MOST, &n));
    need(halo_topology_create_forest(context, &desc, &mesh->topology));
    need(halo_topology_local_parts(mesh->topology, &mesh->local, &mesh->n_local));
    mesh->u = make_field(mesh->topology, "u", HALO_CENTRE_CELL, 1, before ? before->u : NULL);
    mesh->flux = make_field(mesh->topology, "flux", HALO_CENTRE_FACES, 0, before ? before->flux : NULL);
    need(halo_exchange_create(&mesh->u, 1, NULL, &mesh->ghosts));
    need(halo_exchange_create(&mesh->flux, 1, &of_fluxes, &mesh->fluxes));
}

static void destroy(struct mesh *mesh) {
    need(halo_exchange_destroy(&mesh->fluxes));
    need(halo_exchange_destroy(&mesh->ghosts));
    need(halo_field_destroy(&mesh->flux));
    need(halo_field_destroy(&mesh->u));
    need(halo_topology_destroy(&mesh->topology));
    free(mesh);
}

static void run(halo_exchange *exchange) {
    need(halo_exchange_start(exchange, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(exchange, HALO_STREAM_NONE));
}

/* Values of one block: (0, 0) is its first cell, or its first face of direction `place`. */
struct view {
    double *first;
    int64_t stride[2];
};
static struct view view(halo_field *field, int64_t gid, int place) {
    halo_layout at = HALO_LAYOUT_INIT;
    void *data;
    need(halo_field_layout(field, gid, &at));
    need(halo_field_data(field, gid, 0, &data));
    return (struct view){ (double *)data + at.first_owned + place * at.place_stride, { at.stride[0], at.stride[1] } };
}
static double *value(struct view of, int64_t x, int64_t y) { return of.first + x * of.stride[0] + y * of.stride[1]; }

static double width(const struct mesh *mesh, int64_t gid) { return ldexp(1.0 / (ROOTS * CELLS), -mesh->leaves[gid].level); }

static void set_disc(const struct mesh *mesh, int64_t gid) {
    const struct view u = view(mesh->u, gid, 0);
    for (int64_t y = 0; y < CELLS; ++y)
        for (int64_t x = 0; x < CELLS; ++x) {
            const double dx = width(mesh, gid) * ((double)(mesh->leaves[gid].at[0] * CELLS + x) + 0.5) - 0.3;
            const double dy = width(mesh, gid) * ((double)(mesh->leaves[gid].at[1] * CELLS + y) + 0.5) - 0.4;
            *value(u, x, y) = dx * dx + dy * dy < 0.02 ? 1 : 0;
        }
}

/* Through each face flows what is on its lower side. */
static void compute_fluxes(const struct mesh *mesh, int64_t gid) {
    const struct view u = view(mesh->u, gid, 0);
    for (int d = 0; d < 2; ++d) {
        const struct view flux = view(mesh->flux, gid, d);
        for (int64_t y = 0; y < CELLS + d; ++y)
            for (int64_t x = 0; x < CELLS + 1 - d; ++x) *value(flux, x, y) = velocity[d] * *value(u, x - 1 + d, y - d);
    }
}

static void update(const struct mesh *mesh, int64_t gid, double dt) {
    const struct view u = view(mesh->u, gid, 0), along_x = view(mesh->flux, gid, 0), along_y = view(mesh->flux, gid, 1);
    for (int64_t y = 0; y < CELLS; ++y)
        for (int64_t x = 0; x < CELLS; ++x)
            *value(u, x, y) +=
                dt / width(mesh, gid) * (*value(along_x, x, y) - *value(along_x, x + 1, y) + *value(along_y, x, y) - *value(along_y, x, y + 1));
}

static double sum(const struct mesh *mesh, int64_t gid) {
    const struct view u = view(mesh->u, gid, 0);
    double all = 0;
    for (int64_t y = 0; y < CELLS; ++y)
        for (int64_t x = 0; x < CELLS; ++x) all += *value(u, x, y) * width(mesh, gid) * width(mesh, gid);
    return all;
}

static int32_t mark(const struct mesh *mesh, int64_t gid) {
    const struct view u = view(mesh->u, gid, 0);
    double jump = 0;
    for (int64_t y = 0; y < CELLS; ++y)
        for (int64_t x = 0; x < CELLS; ++x)
            for (int d = 0; d < 2; ++d)
                jump = fmax(jump, fmax(fabs(*value(u, x, y) - *value(u, x - 1 + d, y - d)), fabs(*value(u, x, y) - *value(u, x + 1 - d, y + d))));
    if (jump > 0.1 && mesh->leaves[gid].level < DEEPEST) return HALO_MARK_REFINE;
    return jump > 0.02 ? HALO_MARK_KEEP : HALO_MARK_COARSEN;
}

/* Another list of blocks if u wants one: adapt, place, fields, transfer. */
static struct mesh *remesh(halo_context *context, struct mesh *old) {
    static int32_t marks[MOST];
    run(old->ghosts); /* marks read them, and the transfer does, where blocks are refined */
    for (int64_t gid = 0; gid < old->n; ++gid) marks[gid] = HALO_MARK_COARSEN;
    for (int64_t i = 0; i < old->n_local; ++i) marks[old->local[i]] = mark(old, old->local[i]);
    need(halo_context_allreduce(context, marks, marks, old->n, HALO_INT32, HALO_MAX)); /* all ranks know all marks */

    struct mesh *const new = calloc(1, sizeof *new);
    const halo_forest_desc desc = describe(old);
    need(halo_forest_adapt(&desc, marks, sizeof(halo_leaf), new->leaves, NULL, MOST, &new->n));
    if (new->n == old->n && !memcmp(new->leaves, old->leaves, (size_t)old->n * sizeof(halo_leaf))) return free(new), old;
    build(context, new, old);
    halo_exchange *move;
    need(halo_exchange_create_transfer(&old->u, &new->u, 1, NULL, &move));
    run(move);
    need(halo_exchange_destroy(&move));
    destroy(old);
    return new;
}

static double total(halo_context *context, const struct mesh *mesh) {
    double all = 0;
    for (int64_t i = 0; i < mesh->n_local; ++i) all += sum(mesh, mesh->local[i]);
    need(halo_context_allreduce(context, &all, &all, 1, HALO_FLOAT64, HALO_SUM));
    return all;
}

int main(void) {
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    struct mesh *mesh = calloc(1, sizeof *mesh);
    halo_forest_desc roots = describe(mesh);
    need(halo_forest_uniform(&roots, 0, sizeof(halo_leaf), mesh->leaves, MOST, &mesh->n));
    build(context, mesh, NULL);
    for (int level = 0; level <= DEEPEST; ++level) {
        if (level > 0) mesh = remesh(context, mesh);
        for (int64_t i = 0; i < mesh->n_local; ++i) set_disc(mesh, mesh->local[i]);
    }

    const double dt = 0.5 * ldexp(1.0 / (ROOTS * CELLS), -DEEPEST) / (velocity[0] + velocity[1]), before = total(context, mesh);
    for (int step = 0; step < STEPS; ++step) {
        if (step % ADAPT_EVERY == 0) mesh = remesh(context, mesh);
        if (step % (STEPS / 4) == 0 && rank == 0) printf("step %2d: %d blocks\n", step, (int)mesh->n);
        run(mesh->ghosts);
        for (int64_t i = 0; i < mesh->n_local; ++i) compute_fluxes(mesh, mesh->local[i]);
        run(mesh->fluxes); /* what leaves a finer block arrives in the coarser one */
        for (int64_t i = 0; i < mesh->n_local; ++i) update(mesh, mesh->local[i], dt);
    }
    const double after = total(context, mesh);
    const int keeps = fabs(after - before) < 1e-12 * before;
    if (rank == 0) printf("total %.6f, then %.6f: %s\n", before, after, keeps ? "kept" : "lost");

    destroy(mesh);
    need(halo_context_destroy(&context));
    return keeps ? EXIT_SUCCESS : EXIT_FAILURE;
}
