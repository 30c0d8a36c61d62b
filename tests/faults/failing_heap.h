// SPDX-License-Identifier: BSD-3-Clause
// A heap that fails once, where it is told to: malloc and its kin are replaced in this program. Only what the library asks for counts: the nearest
// caller, besides the C and C++ runtimes, is a libhalo object.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace heap {

// Where the library asked for memory.
struct Point {
    uint64_t chain = 0;         // hash of the return addresses within the library
    const void *call = nullptr; // in the public function, the outermost
    std::string places;         // the innermost of those addresses, as offsets into the library

    std::string function() const; // the public function's name
};

// From now on this thread's allocations are counted; the `fails`-th returns a null pointer, 0: none does. Where that lasts, those after it too, until
// `recover`.
void watch(int64_t fails, bool lasting = false);
void recover();
// Ends it; returns how many there were.
int64_t unwatch();
bool has_failed(); // on this thread, since watch
const Point &point_of_failure();

// Memory of the library that any thread has not given back, but for that from places where it is kept for ever.
int64_t n_live();
std::string describe_live();
void keep_live_places(); // those of what is live now

} // namespace heap
