// SPDX-License-Identifier: BSD-3-Clause
// What each simulated rank sends and allocates, counted from outside: MPI_Isend and malloc are replaced in the whole process.
#pragma once

#include <cstdint>

struct Counts {
    int64_t messages; // MPI_Isend
    int64_t message_bytes;
    int64_t allocations; // whose nearest caller, besides the C and C++ runtimes, is a libhalo object
    int64_t allocated_bytes;
    int64_t greatest_bytes; // of one allocation
};

// Of the calling rank, since the last call.
extern "C" Counts take_counts();
