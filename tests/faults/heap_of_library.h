// SPDX-License-Identifier: BSD-3-Clause
// Heap calls of the calling thread, counted where they are asked for: malloc and its kin are replaced in this program.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "halo.h"

namespace heap {

struct Calls {
    int64_t library = 0; // the nearest caller, besides the C and C++ runtimes, is a libhalo object
    int64_t others = 0;
};

void start_counting();
Calls stop_counting();
// Which function of the library called first, e.g. "libhalo.so.0.2(+0x1234)"; empty: none.
const char *first_caller();

// Times that a context's pools have asked for memory, of whatever kind.
inline int64_t pool_allocations(const halo_context *context) {
    int64_t n = 0;
    for (const int32_t kind : { HALO_MEMORY_HOST, HALO_MEMORY_PINNED, HALO_MEMORY_DEVICE }) {
        halo_pool_stats stats = HALO_POOL_STATS_INIT;
        if (halo_context_pool_stats(context, kind, &stats) == HALO_SUCCESS) n += stats.allocations;
    }
    return n;
}

} // namespace heap
