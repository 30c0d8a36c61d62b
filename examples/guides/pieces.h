/* SPDX-License-Identifier: BSD-3-Clause */
/* What pieces of the guides are checked with. */
#ifndef PIECES_H
#define PIECES_H

#include <string.h>

#include "need.h"

static int n_wrong;
static inline void check(int right, const char *what) {
    if (!right) fprintf(stderr, "%s\n", what), ++n_wrong;
}

static inline void destroy(halo_exchange *exchange, halo_field *field, halo_topology *topology) {
    if (exchange) need(halo_exchange_destroy(&exchange));
    if (field) need(halo_field_destroy(&field));
    if (topology) need(halo_topology_destroy(&topology));
}

#endif
