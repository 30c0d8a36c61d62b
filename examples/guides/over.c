/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "need.h"

/* What the processes of this program share: each writes its part, all wait, each reads them all. */
struct table {
    pthread_barrier_t all_here;
    char parts[1 << 20];
};
struct place {
    struct table *table;
    int32_t rank, n_ranks;
};

static halo_status allgather(void *user, const void *mine, size_t bytes, void *all) {
    struct place *here = user;
    if (bytes * (size_t)here->n_ranks > sizeof here->table->parts) return HALO_ERR_LIMIT;
    memcpy(here->table->parts + (size_t)here->rank * bytes, mine, bytes);
    pthread_barrier_wait(&here->table->all_here);
    memcpy(all, here->table->parts, bytes * (size_t)here->n_ranks);
    pthread_barrier_wait(&here->table->all_here); /* before anybody writes again */
    return HALO_SUCCESS;
}

static void play(struct place *here) {
    halo_bootstrap bootstrap = HALO_BOOTSTRAP_INIT;
    halo_context *context;
    int64_t sum = here->rank + 1;
    bootstrap.rank = here->rank, bootstrap.n_ranks = here->n_ranks;
    bootstrap.allgather = allgather, bootstrap.user = here;
    need(halo_context_create_over(&bootstrap, NULL, &context));
    need(halo_context_allreduce(context, &sum, &sum, 1, HALO_INT64, HALO_SUM)); /* by the transport, as all that follows */
    if (sum != here->n_ranks * (here->n_ranks + 1) / 2) exit(EXIT_FAILURE);
    need(halo_context_destroy(&context));
}

int main(int argc, char **argv) { /* number of ranks */
    struct place here = { NULL, 0, argc > 1 ? atoi(argv[1]) : 1 };
    pthread_barrierattr_t among_processes;
    int failed = 0, status;
    here.table = mmap(NULL, sizeof *here.table, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (here.table == MAP_FAILED || pthread_barrierattr_init(&among_processes)) return EXIT_FAILURE;
    pthread_barrierattr_setpshared(&among_processes, PTHREAD_PROCESS_SHARED);
    if (pthread_barrier_init(&here.table->all_here, &among_processes, (unsigned)here.n_ranks)) return EXIT_FAILURE;
    for (; here.rank < here.n_ranks; ++here.rank)
        if (fork() == 0) return play(&here), EXIT_SUCCESS;
    while (wait(&status) > 0) failed += status != 0;
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
