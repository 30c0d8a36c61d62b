// SPDX-License-Identifier: BSD-3-Clause
// A program of processes that compares libhalo with a third party, for one random case after another: any failure ends all of them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <mpi.h>

#include "halo.h"

inline int rank_of_process = 0, n_ranks = 1;
inline uint64_t present_seed = 0;

[[noreturn]] inline void stop(const char *what, const char *why) {
    std::fprintf(stderr, "rank %d, seed %llu: %s: %s\n", rank_of_process, static_cast<unsigned long long>(present_seed), what, why);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

#define HALO(call) ((call) == HALO_SUCCESS ? void() : stop(#call, halo_last_error()))
