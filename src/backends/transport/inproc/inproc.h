/* SPDX-License-Identifier: BSD-3-Clause */
/* The in-process transport: ranks are threads of one process. Built into libhalo. */
#pragma once

#include "halo_plugin.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const halo_transport_plugin halo_transport_inproc;

/* A group of ranks; `group` of halo_transport_params. Its functions may be called from any thread.
 * A group may be opened any number of times: the k-th open of every rank belong together and are separate from all others.
 * Opening waits for no other rank. */
typedef struct halo_inproc_group halo_inproc_group;

/* HALO_ERR_ARGUMENT: n_ranks is not in 1 .. HALO_INPROC_MAX_RANKS. HALO_ERR_MEMORY: no memory. */
#define HALO_INPROC_MAX_RANKS 4096
halo_status halo_inproc_group_create(int32_t n_ranks, halo_inproc_group **group);

int32_t halo_inproc_group_size(const halo_inproc_group *group);

/* Endpoints opened and not yet closed, of all ranks. */
int32_t halo_inproc_group_open_endpoints(const halo_inproc_group *group);

/* Ranks that open the group under a time limit, or that may fail, meet: all of them use what they have opened, or none does. Each enters, opens, and
 * meets; it withdraws if it gives up, or says that it has failed, which all others then hear, each once, in their present meeting or when they enter.
 */
typedef struct halo_inproc_arrival { /* zero at first */
    int64_t meeting;                 /* numbers of the meeting, */
    int64_t failure;                 /* and of failures before it */
    int32_t entered;
    int32_t failed; /* HALO_ERR_PEER: the rank that has failed */
} halo_inproc_arrival;

/* HALO_BUSY: another thread has entered as this rank; call again. HALO_ERR_PEER: a rank has failed. HALO_ERR_MEMORY: no memory. */
halo_status halo_inproc_group_enter(halo_inproc_group *group, int32_t rank, halo_inproc_arrival *arrival);
/* HALO_SUCCESS: all are there. HALO_BUSY: call again. HALO_ERR_PEER: a rank has failed. */
halo_status halo_inproc_group_meet(halo_inproc_group *group, int32_t rank, halo_inproc_arrival *arrival);
/* 0: too late, all are there. */
int32_t halo_inproc_group_withdraw(halo_inproc_group *group, int32_t rank, halo_inproc_arrival *arrival);
/* Also before the rank has entered. Nothing happens where it is too late. */
void halo_inproc_group_fail(halo_inproc_group *group, int32_t rank, halo_inproc_arrival *arrival);
/* The lowest rank that is missing. */
int32_t halo_inproc_group_absent(halo_inproc_group *group);

/* HALO_BUSY, and nothing is done, while endpoints are open. */
halo_status halo_inproc_group_destroy(halo_inproc_group *group);

#ifdef __cplusplus
}
#endif
