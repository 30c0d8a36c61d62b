/* SPDX-License-Identifier: BSD-3-Clause */
/* The transport "wrap": another transport with its calls counted, and its messages delayed, reordered between channels, duplicated,
 * dropped, cut, damaged or refused. A module for tests; these functions are found in it by name. They act for the calling thread. */
#pragma once

#include "halo.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Calls of one instance since it was opened, as the core made them. */
typedef struct wrap_counts {
    int64_t sends;
    int64_t bytes_sent;
    int64_t receives; /* posted or matched */
    int64_t probes;
    int64_t found;
    int64_t tests;
    int64_t cancels;
    int64_t faults;      /* done so far */
    int64_t open;        /* sends less receives, but of set-up and collectives; a receive that is posted counts */
    int64_t from_device; /* sends from memory of the late device */
    int64_t to_device;   /* receives there */
} wrap_counts;

/* Chances, 0 to 1, for each message or call. Messages of set-up and collectives are spared, unless `collectives`. */
typedef struct wrap_faults {
    uint64_t seed;
    double delay;     /* a message is held back for up to 200 calls; those of one (peer, lane, tag) keep their order */
    double slow_test; /* test says "not yet" */
    double duplicate;
    double drop;
    double truncate;
    double corrupt; /* one bit, behind the first `corrupt_after` bytes */
    int64_t corrupt_after;
    double refuse;         /* a send or receive returns HALO_ERR_TRANSPORT */
    double fail;           /* the test of what is complete returns HALO_ERR_TRANSPORT, as if it were lost */
    int64_t spare;         /* messages and calls before the first fault */
    int64_t most;          /* faults at most, besides delays and slow tests */
    int32_t channels_only; /* other messages than those of single channels are spared */
    int32_t collectives;   /* 1: those of set-up and collectives too */
    double nap;            /* progress takes 3 ms */
    int32_t no_lanes;      /* 1: open_lanes waits for others */
} wrap_faults;

/* A group whose ranks are threads, for the transport inside. */
typedef struct halo_inproc_group *(*wrap_group_create_fn)(int32_t n_ranks);
typedef halo_status (*wrap_group_destroy_fn)(struct halo_inproc_group *group);
/* The next instance that this thread opens is this rank. */
typedef void (*wrap_seat_fn)(struct halo_inproc_group *group, int32_t rank);
/* Which ranks the next instances that this thread opens reach; all, unless told. */
#define WRAP_REACHES_NONE 0
#define WRAP_REACHES_ODD 1 /* those at an odd distance */
#define WRAP_REACHES_ALL 2
typedef void (*wrap_reach_fn)(int32_t which);
/* Values of WRAP_TAKES_LATE in the environment: do instances that are opened take memory of the late device (tests/device/late)? */
#define WRAP_TAKES_NONE 0
#define WRAP_TAKES_SILENTLY 1 /* and say that they do not */
#define WRAP_TAKES_ALL 2
/* Of the instance that this thread opened last. */
typedef void (*wrap_set_faults_fn)(const wrap_faults *faults);
typedef wrap_counts (*wrap_counts_fn)(void);

#ifdef __cplusplus
}
#endif
