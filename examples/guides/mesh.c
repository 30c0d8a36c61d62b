/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

#include <halo_access.h>
#include <halo_mesh.h>

enum { NX = 24, NY = 4, CELLS = NX * NY, NODES = NX * (NY + 1) }; /* quadrilaterals around a cylinder */

static uint64_t node_of(int64_t cell, int corner) { return (uint64_t)((cell / NX + corner / 2) * NX + (cell % NX + corner % 2) % NX); }

/* Every cell adds the sum of its nodes' values to each of them. */
static void add_cells(int64_t n_cells, const uint32_t *nodes, const int64_t *before, int64_t *after) {
    for (int64_t c = 0; c < n_cells; ++c) {
        int64_t sum = 0;
        for (int k = 0; k < 4; ++k) sum += before[nodes[4 * c + k]];
        for (int k = 0; k < 4; ++k) after[nodes[4 * c + k]] += sum;
    }
}

int main(void) {
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    /* What this rank has read from a file: every n-th cell, its nodes, and the rank that a partitioner has chosen for it. */
    uint64_t cells[CELLS], ends[4 * CELLS];
    int32_t owners[CELLS];
    int64_t n = 0;
    for (int64_t cell = rank; cell < CELLS; cell += n_ranks, ++n) {
        cells[n] = (uint64_t)cell, owners[n] = (int32_t)(cell % NX * n_ranks / NX);
        for (int corner = 0; corner < 4; ++corner) ends[4 * n + corner] = node_of(cell, corner);
    }
    halo_mesh_set sets[2] = { HALO_MESH_SET_INIT, HALO_MESH_SET_INIT };
    sets[0].name = "cells", sets[0].n = n, sets[0].keys = cells, sets[0].owners = owners, sets[0].owner_rule = HALO_MESH_OWNER_GIVEN;
    sets[1].name = "nodes", sets[1].owner_rule = HALO_MESH_OWNER_OF_SOURCES, sets[1].owner_map = 0; /* of the rank with most cells around */
    halo_mesh_map map = HALO_MESH_MAP_INIT;
    map.name = "nodes of cells", map.from = 0, map.to = 1, map.arity = 4, map.keys = ends;
    halo_mesh_desc desc = HALO_MESH_DESC_INIT;
    desc.depth = 2, desc.n_sets = 2, desc.sets = sets, desc.n_maps = 1, desc.maps = &map;
    halo_mesh *mesh;
    need(halo_mesh_create(context, &desc, &mesh));

    halo_mesh_local local_cells = HALO_MESH_LOCAL_INIT, local_nodes = HALO_MESH_LOCAL_INIT;
    const uint32_t *to;
    need(halo_mesh_get_local(mesh, 0, &local_cells));
    need(halo_mesh_get_local(mesh, 1, &local_nodes));
    need(halo_mesh_get_map(mesh, 0, &to, NULL, NULL));

    halo_topology *nodes;
    need(halo_mesh_topology(mesh, 1, &nodes));
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "u", field_desc.type = HALO_INT64;
    halo_field *field;
    need(halo_field_create(nodes, &field_desc, &field));
    int64_t u[NODES], before[NODES];
    halo_binding memory = HALO_BINDING_INIT;
    memory.data = u;
    need(halo_field_bind(field, rank, &memory));

    for (int64_t i = 0; i < local_nodes.n_owned; ++i) u[i] = (int64_t)local_nodes.keys[i];
    const halo_access loops = { .field = field, .mode = HALO_RW, .through = HALO_VIA_MAP, .sections = HALO_MESH_REACH(2) };
    for (int step = 0; step < 2; ++step) {
        halo_batch *batch; /* brings the ghosts that two loops reach, where they are stale */
        need(halo_access_begin(context, &loops, 1, sizeof loops, HALO_STYLE_REDUNDANT, HALO_ON_HOST, HALO_STREAM_NONE, &batch));
        need(halo_access_ready(batch));
        for (int layer = 2; layer > 0; --layer) { /* two loops without an exchange between them, the second over one layer less */
            for (int64_t i = 0; i < local_nodes.n; ++i) before[i] = u[i];
            add_cells(local_cells.layer_ends[layer], to, before, u);
        }
        need(halo_access_end(batch));
    }

    /* The same four loops over the whole mesh. */
    uint32_t all[4 * CELLS];
    int64_t wanted[NODES], old[NODES];
    for (int64_t i = 0; i < 4 * CELLS; ++i) all[i] = (uint32_t)node_of(i / 4, (int)(i % 4));
    for (int64_t i = 0; i < NODES; ++i) wanted[i] = i;
    for (int loop = 0; loop < 4; ++loop) {
        for (int64_t i = 0; i < NODES; ++i) old[i] = wanted[i];
        add_cells(CELLS, all, old, wanted);
    }
    int wrong = 0;
    for (int64_t i = 0; i < local_nodes.n_owned; ++i) wrong += u[i] != wanted[local_nodes.keys[i]];
    printf("rank %d: %lld of %lld cells are its own, %d wrong\n", rank, (long long)local_cells.n_owned, (long long)local_cells.n, wrong);

    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&nodes));
    need(halo_mesh_destroy(&mesh));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
