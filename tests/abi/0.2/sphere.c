/* SPDX-License-Identifier: BSD-3-Clause */
#include <halo_sphere.h>

#include "need.h"

enum { N = 8, PARTS = 40, MOST = 256, CELLS = HALO_SPHERE_CELLS, VERTICES = HALO_SPHERE_VERTICES };

static double value(int kind, uint64_t key) { return kind + 3.0 * (double)key; }

int main(void) {
    halo_context *context;
    need(halo_context_create(NULL, &context));

    halo_sphere_desc desc = HALO_SPHERE_DESC_INIT; /* an icosahedron: ten parallelograms of 8 x 8 squares, each cut into 2 x 2 parts */
    desc.n = N, desc.parts_per_side = 2;
    desc.rings[CELLS] = desc.rings[HALO_SPHERE_EDGES] = 2; /* vertices read the cells and edges around them; one ring of vertices is the default */
    halo_sphere *sphere;
    need(halo_sphere_create(context, &desc, &sphere));
    const int64_t *gids; /* of this rank's parts */
    int64_t n_parts, n;
    need(halo_sphere_local_parts(sphere, &gids, &n_parts));

    static const char *const names[] = { "on cells", "on edges", "on vertices" };
    static double values[3][PARTS][MOST];
    static uint64_t keys[3][PARTS][MOST];
    halo_topology *topologies[3];
    halo_field *fields[3];
    for (int kind = CELLS; kind <= VERTICES; ++kind) {
        need(halo_sphere_topology(sphere, kind, &topologies[kind]));
        halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
        field_desc.name = names[kind];
        need(halo_field_create(topologies[kind], &field_desc, &fields[kind]));
        for (int64_t p = 0; p < n_parts; ++p) {
            halo_sphere_part part = HALO_SPHERE_PART_INIT;
            need(halo_sphere_get_part(sphere, gids[p], &part));
            need(halo_sphere_keys(sphere, gids[p], kind, keys[kind][p], MOST, &n));
            for (int64_t i = 0; i < part.n_owned[kind]; ++i) values[kind][p][i] = value(kind, keys[kind][p][i]);
            halo_binding memory = HALO_BINDING_INIT;
            memory.data = values[kind][p]; /* n_local[kind] values: owned ones, then ghosts by ring */
            need(halo_field_bind(fields[kind], gids[p], &memory));
        }
    }
    halo_exchange *ghosts; /* all three kinds, one message for each peer */
    need(halo_exchange_create(fields, 3, NULL, &ghosts));
    need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));

    int wrong = 0;
    for (int64_t p = 0; p < n_parts; ++p) { /* the sum over the cells around each vertex, by local indices and by keys */
        halo_sphere_part part = HALO_SPHERE_PART_INIT;
        need(halo_sphere_get_part(sphere, gids[p], &part));
        uint32_t around[6 * MOST];
        need(halo_sphere_neighbours(sphere, gids[p], VERTICES, CELLS, around, 6 * MOST, &n));
        for (int64_t v = 0; v < part.n_owned[VERTICES]; ++v) {
            uint64_t cells[6];
            int32_t n_cells; /* six, or five */
            need(halo_sphere_key_neighbours(desc.solid, N, VERTICES, keys[VERTICES][p][v], CELLS, cells, &n_cells));
            double sum = 0;
            for (int k = 0; k < 6 && around[6 * v + k] != HALO_NO_INDEX; ++k) sum += values[CELLS][p][around[6 * v + k]];
            for (int k = 0; k < n_cells; ++k) sum -= value(CELLS, cells[k]);
            wrong += sum != 0;
        }
        for (int kind = CELLS; kind <= VERTICES; ++kind)
            for (int64_t i = 0; i < part.n_local[kind]; ++i) wrong += values[kind][p][i] != value(kind, keys[kind][p][i]);
    }
    printf("%d wrong\n", wrong);

    need(halo_exchange_destroy(&ghosts));
    for (int kind = CELLS; kind <= VERTICES; ++kind) {
        need(halo_field_destroy(&fields[kind]));
        need(halo_topology_destroy(&topologies[kind]));
    }
    need(halo_sphere_destroy(&sphere));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
