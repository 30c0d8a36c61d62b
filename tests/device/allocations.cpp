// SPDX-License-Identifier: BSD-3-Clause
#include "allocations.h"

#include <cstdlib>
#include <new>

namespace {
thread_local int64_t n_allocations = 0;
}

int64_t halo::test::allocations() { return n_allocations; }

void *operator new(size_t bytes) {
    ++n_allocations;
    if (void *memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void *memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void *memory, size_t) noexcept { std::free(memory); }
