/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { ROOTS = 2, LEAVES = 2 };

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

    const int32_t ranks[LEAVES] = { (rank + 1) % n_ranks, 0 }; /* iremote: root 1 of the next rank, */
    const uint32_t indices[LEAVES] = { 1, 0 };                 /* and root 0 of rank 0, which has a leaf on every rank */
    halo_star_desc graph = HALO_STAR_DESC_INIT;
    graph.n_points = ROOTS + LEAVES, graph.n_leaves = LEAVES; /* leaves are the last points */
    graph.ranks = ranks, graph.indices = indices;
    halo_topology *star;
    need(halo_topology_create_star(context, &graph, &star));
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u", desc.type = HALO_INT64;
    halo_field *field;
    need(halo_field_create(star, &desc, &field));
    int64_t u[ROOTS + LEAVES] = { 10 * rank, 10 * rank + 1, -1, -1 }; /* roots, then leaves */
    halo_binding memory = HALO_BINDING_INIT;
    memory.data = u;
    need(halo_field_bind(field, rank, &memory)); /* each rank is one part, and the rank its gid */

    run(field, HALO_KIND_GHOSTS); /* PetscSFBcast, MPI_REPLACE */
    int wrong = u[2] != 10 * ranks[0] + 1 || u[3] != 0;

    u[0] = 100, u[1] = 200, u[2] = 1, u[3] = 2;
    run(field, HALO_KIND_REVERSE); /* PetscSFReduce, MPI_SUM: leaves stay */
    wrong += u[0] != (rank == 0 ? 100 + 2 * n_ranks : 100) || u[1] != 201 || u[2] != 1 || u[3] != 2;

    u[0] = u[1] = 0, u[2] = 5, u[3] = 1;
    run(field, HALO_KIND_FETCH); /* PetscSFFetchAndOp, MPI_SUM: each leaf gets what its root was before it added its own */
    wrong += u[0] != (rank == 0 ? n_ranks : 0) || u[1] != 5 || u[2] != 0 || u[3] != rank;
    printf("%d wrong\n", wrong);

    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&star));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
