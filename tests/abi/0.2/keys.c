/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { N_ELEMENTS = 24 }; /* a closed ring: element e lies between the nodes e and e + 1 */

static uint64_t key_of(int64_t node) { return 1000003u * (uint64_t)(node % N_ELEMENTS); } /* any numbers */

static void run(halo_field *field, int32_t kind) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind, desc.op = HALO_SUM;
    halo_exchange *exchange;
    need(halo_exchange_create(&field, 1, &desc, &exchange));
    need(halo_exchange_start(exchange, NULL, HALO_STREAM_NONE));
    need(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    need(halo_exchange_destroy(&exchange));
}

int main(void) {
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    /* This rank's elements, and the nodes that they touch: those at both ends are also other ranks'. */
    const int64_t first = N_ELEMENTS * (int64_t)rank / n_ranks, last = N_ELEMENTS * (int64_t)(rank + 1) / n_ranks;
    uint64_t keys[N_ELEMENTS + 1];
    const int64_t n_elements = last - first, n_nodes = n_ranks == 1 ? N_ELEMENTS : n_elements + 1;
    for (int64_t i = 0; i < n_nodes; ++i) keys[i] = key_of(first + i);

    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = n_nodes, desc.keys = keys;
    halo_topology *nodes;
    need(halo_topology_create_keys(context, &desc, &nodes));
    uint32_t index[N_ELEMENTS + 1]; /* from my position to the library's: owned nodes first, then ghosts */
    int32_t owners[N_ELEMENTS + 1];
    int64_t n;
    need(halo_topology_local_indices(nodes, index, n_nodes, &n));
    need(halo_topology_owners(nodes, owners, n_nodes, &n));
    halo_keys_report report = HALO_KEYS_REPORT_INIT;
    need(halo_topology_keys_report(nodes, &report));

    halo_field_desc field_desc = HALO_FIELD_DESC_INIT; /* a double for each node */
    field_desc.name = "u";
    halo_field *field;
    need(halo_field_create(nodes, &field_desc, &field));
    double u[N_ELEMENTS + 1] = { 0.0 };
    halo_binding memory = HALO_BINDING_INIT;
    memory.data = u;
    need(halo_field_bind(field, rank, &memory)); /* every rank is one part: gid = rank */

    for (int64_t e = 0; e < n_elements; ++e) { /* assembly: each element adds to both of its nodes */
        u[index[e]] += 1.0;
        u[index[(e + 1) % n_nodes]] += 1.0;
    }
    run(field, HALO_KIND_SHARED_REDUCE); /* every copy of a node gets the sum over all ranks */
    int wrong = 0;
    for (int64_t i = 0; i < n_nodes; ++i) wrong += u[i] != 2.0;

    for (int64_t i = 0; i < report.n_owned; ++i) u[i] = rank;
    run(field, HALO_KIND_GHOSTS); /* owners' values to all copies */
    for (int64_t i = 0; i < n_nodes; ++i) wrong += u[i] != owners[i];
    printf("%d wrong\n", wrong);

    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&nodes));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
