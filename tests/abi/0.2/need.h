/* SPDX-License-Identifier: BSD-3-Clause */
/* An error ends the program with its text. */
#ifndef NEED_H
#define NEED_H

#include <stdio.h>
#include <stdlib.h>

#include <halo.h>

static inline void need(halo_status status) {
    if (status == HALO_SUCCESS) return;
    fprintf(stderr, "%s\n", halo_last_error());
    exit(EXIT_FAILURE);
}

#endif
