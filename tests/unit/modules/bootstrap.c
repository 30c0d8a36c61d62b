/* SPDX-License-Identifier: BSD-3-Clause */
/* A bootstrap module of one rank, with one thing wrong, chosen by definitions. Its exchanges are never called by the tests. */
#include <stdio.h>

#include "halo_plugin.h"

#ifndef SCORE
#define SCORE 5
#endif

static int32_t query(const halo_host *host, char *why, size_t why_bytes) {
    (void)host;
    snprintf(why, why_bytes, "%s", SCORE > 0 ? "started by hand" : "no launcher");
    return SCORE;
}

static halo_status open_it(const halo_host *host, halo_ranks **ranks) {
    (void)host, (void)ranks;
    return HALO_SUCCESS;
}
static void close_it(halo_ranks *ranks) { (void)ranks; }
static void identify(const halo_ranks *ranks, int32_t *rank, int32_t *n_ranks) {
    (void)ranks;
    *rank = 0;
    *n_ranks = 1;
}
static halo_status start_it(halo_ranks *ranks, const void *mine, size_t bytes) {
    (void)ranks, (void)mine, (void)bytes;
    return HALO_ERR_TRANSPORT;
}
#ifdef WITHOUT_TEST
#define test_it NULL
#else
static halo_status test_it(halo_ranks *ranks, void *all, int32_t *done) {
    (void)ranks, (void)all, (void)done;
    return HALO_ERR_TRANSPORT;
}
#endif

static const halo_bootstrap_ops operations = { sizeof operations, open_it, close_it, identify, start_it, test_it };

extern const halo_bootstrap_plugin halo_bootstrap_plugin_v1;
const halo_bootstrap_plugin halo_bootstrap_plugin_v1 = {
    HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, sizeof halo_bootstrap_plugin_v1, MODULE_NAME, "1", query, &operations
};
