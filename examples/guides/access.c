/* SPDX-License-Identifier: BSD-3-Clause */
#include <halo_access.h>

#include "need.h"

enum { N = 24, STEPS = 5, ROOM = N + 2 }; /* a closed ring: edge e lies between the nodes e and e + 1 */

static int32_t n_ranks;
static int32_t owner_of(int64_t i) { return (int32_t)(i * n_ranks / N); } /* of node i and of edge i */
static int64_t start_of(int64_t node) { return node * node; }

/* Numbers one set by section. `items`: its entities on this rank, which end up in the new order. */
static halo_section_sizes classify(int32_t rank, int64_t *items, int64_t n, const halo_map *maps, int32_t n_maps) {
    int32_t owners[ROOM] = { 0 };
    uint32_t order[ROOM];
    int64_t old[ROOM];
    halo_section_sizes sizes = HALO_SECTION_SIZES_INIT;
    for (int64_t i = 0; i < n; ++i) owners[i] = owner_of(old[i] = items[i]);
    need(halo_sections_classify(rank, owners, n, maps, n_maps, NULL, order, &sizes));
    for (int64_t p = 0; p < n; ++p) items[p] = old[order[p]];
    return sizes;
}

static halo_field *make_field(halo_topology *nodes, const char *name, int64_t *values, int32_t rank) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name, desc.type = HALO_INT64;
    halo_field *field;
    halo_binding memory = HALO_BINDING_INIT;
    memory.data = values;
    need(halo_field_create(nodes, &desc, &field));
    need(halo_field_bind(field, rank, &memory));
    return field;
}

static uint32_t ends[2 * ROOM]; /* local nodes of each local edge */
static int64_t u[ROOM], change[ROOM];

static void flows(int64_t first, int64_t n) {
    for (int64_t e = first; e < first + n; ++e) {
        const uint32_t a = ends[2 * e], b = ends[2 * e + 1];
        change[a] += u[b] - u[a];
        change[b] += u[a] - u[b];
    }
}

int main(void) {
    halo_context *context;
    int32_t rank;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    int64_t nodes[ROOM] = { 0 }, edges[ROOM] = { 0 }, n_nodes = 0, n_edges = 0, local[N] = { 0 };
    int used[N] = { 0 };
    for (int64_t e = 0; e < N; ++e) /* own edges, those that touch own nodes, and the nodes of all of these */
        if (owner_of(e) == rank || owner_of((e + 1) % N) == rank) edges[n_edges++] = e, used[e] = used[(e + 1) % N] = 1;
    for (int64_t i = 0; i < N; ++i)
        if (used[i]) nodes[n_nodes++] = i;
    const halo_section_sizes own_nodes = classify(rank, nodes, n_nodes, NULL, 0);
    int32_t owners[ROOM];
    uint64_t keys[ROOM];
    for (int64_t p = 0; p < n_nodes; ++p) local[nodes[p]] = p, owners[p] = owner_of(nodes[p]), keys[p] = (uint64_t)nodes[p];
    for (int64_t e = 0; e < n_edges; ++e) ends[2 * e] = (uint32_t)local[edges[e]], ends[2 * e + 1] = (uint32_t)local[(edges[e] + 1) % N];
    const halo_map touched = { ends, owners, n_nodes, 2, 0 };
    const halo_section_sizes sizes = classify(rank, edges, n_edges, &touched, 1);
    for (int64_t e = 0; e < n_edges; ++e) ends[2 * e] = (uint32_t)local[edges[e]], ends[2 * e + 1] = (uint32_t)local[(edges[e] + 1) % N];

    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = n_nodes, desc.keys = keys, desc.owners = owners, desc.numbering = HALO_NUMBERING_AS_GIVEN;
    halo_topology *topology;
    need(halo_topology_create_keys(context, &desc, &topology));
    halo_field *u_field = make_field(topology, "u", u, rank), *change_field = make_field(topology, "change", change, rank);

    const int64_t n_own = own_nodes.n[HALO_SECTION_CORE];
    for (int64_t i = 0; i < n_own; ++i) u[i] = start_of(nodes[i]);
    need(halo_access_mark_dirty(u_field, 0, HALO_ON_HOST)); /* set outside of loops */
    need(halo_access_mark_dirty(change_field, 0, HALO_ON_HOST));
    for (int step = 0; step < STEPS; ++step) {
        halo_batch *batch;
        int32_t needs_exec;
        const halo_access over_edges[] = { { .field = u_field, .mode = HALO_READ, .through = HALO_VIA_MAP },
                                           { .field = change_field, .mode = HALO_INC, .through = HALO_VIA_MAP } };
        need(halo_access_begin(context, over_edges, 2, sizeof over_edges[0], HALO_STYLE_REDUNDANT, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
        flows(0, sizes.n[HALO_SECTION_CORE]); /* while ghosts are on their way */
        need(halo_access_ready(batch));
        flows(sizes.n[HALO_SECTION_CORE], sizes.n[HALO_SECTION_OWNED]);
        need(halo_access_needs_exec(batch, &needs_exec));
        if (needs_exec) flows(sizes.n[HALO_SECTION_CORE] + sizes.n[HALO_SECTION_OWNED], sizes.n[HALO_SECTION_EXEC]);
        need(halo_access_end(batch));

        const halo_access over_nodes[] = { { .field = u_field, .mode = HALO_RW }, { .field = change_field, .mode = HALO_RW } };
        need(halo_access_begin(context, over_nodes, 2, sizeof over_nodes[0], HALO_STYLE_REDUNDANT, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
        need(halo_access_ready(batch));
        for (int64_t i = 0; i < n_own; ++i) u[i] += change[i], change[i] = 0;
        need(halo_access_end(batch));
    }

    int64_t all[N]; /* the same in one place */
    for (int64_t i = 0; i < N; ++i) all[i] = start_of(i);
    for (int step = 0; step < STEPS; ++step) {
        int64_t old[N];
        for (int64_t i = 0; i < N; ++i) old[i] = all[i];
        for (int64_t i = 0; i < N; ++i) all[i] += old[(i + 1) % N] + old[(i + N - 1) % N] - 2 * old[i];
    }
    int wrong = 0;
    for (int64_t i = 0; i < n_own; ++i) wrong += u[i] != all[nodes[i]];
    printf("%d wrong\n", wrong);

    need(halo_field_destroy(&u_field));
    need(halo_field_destroy(&change_field));
    need(halo_topology_destroy(&topology));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
