// SPDX-License-Identifier: BSD-3-Clause
// For programs that replace the heap's functions to see who calls them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>

// Names of the C library behind its replaceable ones.
// NOLINTBEGIN(bugprone-reserved-identifier)
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);
}
// NOLINTEND(bugprone-reserved-identifier)

inline bool is_runtime(const char *object) {
    static constexpr const char *runtimes[] = { "libstdc++", "libc.so", "libgcc_s", "libc-" };
    return std::any_of(std::begin(runtimes), std::end(runtimes), [&](const char *name) { return std::strstr(object, name); });
}
