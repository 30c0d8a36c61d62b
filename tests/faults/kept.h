// SPDX-License-Identifier: BSD-3-Clause
// What this process has of its system, to see that it does not grow.
#pragma once

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ranks.h"

namespace conformance {

inline int64_t count_lines(const char *path) {
    std::ifstream file(path);
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
}

// Bytes are those of the heap that are in use; those in mappings of their own are counted apart.
struct Kept {
    int64_t bytes = 0, descriptors = 0, mappings = 0, mapped_bytes = 0;

    static Kept now() {
        const std::filesystem::directory_iterator files("/proc/self/fd");
        const auto heap = mallinfo2();
        return { static_cast<int64_t>(heap.uordblks), std::distance(begin(files), end(files)), count_lines("/proc/self/maps"),
                 static_cast<int64_t>(heap.hblkhd) };
    }
};

// While no other rank does anything, and after what is on its way has come.
inline Kept kept_between_cycles(const Rank &rank) {
    for (int turn = 0; turn < 100; ++turn) OK(halo_context_progress(rank.context));
    OK(halo_context_barrier(rank.context));
    const Kept kept = Kept::now();
    OK(halo_context_barrier(rank.context));
    return kept;
}

} // namespace conformance
