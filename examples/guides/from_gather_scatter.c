/* SPDX-License-Identifier: BSD-3-Clause */
#include "need.h"

enum { ELEMENTS = 6, NODES = 4 }; /* a row of elements; neighbours share the node between them */

int main(void) {
    halo_context *context;
    int32_t rank, n_ranks;
    need(halo_context_create(NULL, &context));
    need(halo_context_rank(context, &rank, &n_ranks));

    /* a key for each node of each element of this rank: shared ones come several times, on one rank or on two */
    uint64_t keys[ELEMENTS * NODES] = { 0 };
    int32_t flags[ELEMENTS * NODES];
    double u[ELEMENTS * NODES];
    int64_t n = 0;
    for (int e = 0; e < ELEMENTS; ++e)
        for (int i = 0; i < NODES && e / 2 % n_ranks == rank; ++i, ++n) {
            keys[n] = (uint64_t)(e * (NODES - 1) + i);
            flags[n] = i == 1 ? HALO_KEY_IGNORE : 0; /* id 0 of gslib: takes no part */
            u[n] = e + 1;
        }
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = n, desc.keys = keys, desc.flags = flags, desc.numbering = HALO_NUMBERING_AS_GIVEN;
    halo_topology *nodes;
    need(halo_topology_create_keys(context, &desc, &nodes)); /* gs_setup */

    halo_field_desc described = HALO_FIELD_DESC_INIT;
    described.name = "u";
    halo_field *field;
    need(halo_field_create(nodes, &described, &field));
    halo_binding memory = HALO_BINDING_INIT;
    memory.data = u;
    need(halo_field_bind(field, rank, &memory)); /* each rank is one part, and the rank its gid */
    halo_exchange_desc sum = HALO_EXCHANGE_DESC_INIT;
    sum.kind = HALO_KIND_SHARED_REDUCE, sum.op = HALO_SUM;
    sum.combine_order = HALO_COMBINE_BY_RANK; /* a rank's copies first, as gslib adds them */
    halo_exchange *gs;
    need(halo_exchange_create(&field, 1, &sum, &gs));

    need(halo_exchange_start(gs, NULL, HALO_STREAM_NONE)); /* igs */
    need(halo_exchange_finish(gs, HALO_STREAM_NONE));      /* gs_wait */

    int wrong = 0;
    for (int64_t k = 0; k < n; ++k) {
        const int64_t e = (int64_t)(keys[k] / (NODES - 1)), shared = keys[k] % (NODES - 1) == 0;
        const double expected = !shared ? (double)(e + 1) : (double)((e < ELEMENTS ? e + 1 : 0) + e); /* elements e - 1 and e have it */
        wrong += u[k] != expected;
    }
    printf("%d wrong\n", wrong);

    need(halo_exchange_destroy(&gs));
    need(halo_field_destroy(&field));
    need(halo_topology_destroy(&nodes));
    need(halo_context_destroy(&context));
    return wrong != 0;
}
