/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { NX = 6, NY = 12, N = NX * NY, RINGS = 2 }; /* a mesh of cells with four neighbours each; at its border, fewer */
#define NOBODY UINT64_MAX

static uint64_t key_of(int64_t x, int64_t y) { return x < 0 || x >= NX || y < 0 || y >= NY ? NOBODY : (uint64_t)(x + NX * y); }
static double value(uint64_t key) { return (double)(key * key); }

int main(void) {
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    static uint64_t keys[N], around[4 * N]; /* this rank's rows of cells, and their neighbours, of whatever rank */
    int64_t n_owned = 0;
    for (int64_t y = NY * (int64_t)rank / n_ranks; y < NY * (int64_t)(rank + 1) / n_ranks; ++y)
        for (int64_t x = 0; x < NX; ++x, ++n_owned) {
            keys[n_owned] = key_of(x, y);
            around[4 * n_owned] = key_of(x - 1, y), around[4 * n_owned + 1] = key_of(x + 1, y);
            around[4 * n_owned + 2] = key_of(x, y - 1), around[4 * n_owned + 3] = key_of(x, y + 1);
        }

    halo_graph_desc desc = HALO_GRAPH_DESC_INIT;
    desc.rings = RINGS, desc.n_owned = n_owned, desc.keys = keys, desc.neighbours = around, desc.width = 4;
    desc.has_skip = 1, desc.skip = NOBODY;
    halo_topology *cells;
    need(halo_topology_create_graph(context, &desc, &cells));
    static uint64_t key[N]; /* of each local cell: owned ones as given, then ghosts by ring */
    static int32_t ring[N];
    int64_t n;
    need(halo_topology_point_keys(cells, key, N, &n));
    need(halo_topology_rings(cells, ring, N, &n));

    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "u";
    halo_field *field;
    need(halo_field_create(cells, &field_desc, &field));
    static double u[N];
    halo_binding memory = HALO_BINDING_INIT;
    memory.data = u;
    need(halo_field_bind(field, rank, &memory));
    halo_exchange *ghosts;
    need(halo_exchange_create(&field, 1, NULL, &ghosts));
    for (int64_t i = 0; i < n_owned; ++i) u[i] = value(key[i]);
    need(halo_exchange_start(ghosts, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(ghosts, HALO_STREAM_NONE));

    int wrong = 0;
    for (int64_t i = 0; i < n; ++i) wrong += u[i] != value(key[i]) || (ring[i] == 0) != (i < n_owned) || ring[i] > RINGS;

    const int64_t *begin; /* the tables again, by local index: of owned cells and of ghosts of ring 1 */
    const uint32_t *neighbours;
    int64_t n_rows;
    need(halo_topology_graph_rows(cells, &begin, &neighbours, &n_rows));
    for (int64_t i = 0; i < n_rows; ++i) { /* so a stencil can run there without another exchange */
        const int64_t x = (int64_t)key[i] % NX, y = (int64_t)key[i] / NX;
        const uint64_t wanted[] = { key_of(x - 1, y), key_of(x + 1, y), key_of(x, y - 1), key_of(x, y + 1) };
        for (int64_t j = begin[i]; j < begin[i + 1]; ++j)
            wrong += (neighbours[j] == HALO_NO_INDEX ? NOBODY : key[neighbours[j]]) != wanted[j - begin[i]];
    }
    printf("%d wrong\n", wrong);

    need(halo_exchange_destroy(&ghosts));
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&cells));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
