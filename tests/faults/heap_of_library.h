// SPDX-License-Identifier: BSD-3-Clause
// Heap calls of the calling thread, counted where they are asked for: malloc and its kin are replaced in this program.
#pragma once

#include <cstdint>

namespace heap {

struct Calls {
    int64_t library = 0; // the nearest caller, besides the C and C++ runtimes, is a libhalo object
    int64_t others = 0;
};

void start_counting();
Calls stop_counting();
// Which function of the library called first, e.g. "libhalo.so.0.2(+0x1234)"; empty: none.
const char *first_caller();

} // namespace heap
