// SPDX-License-Identifier: BSD-3-Clause
// Apart from the tests, so that the compiler cannot look through the replaced operators.
#include "heap_calls.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int64_t> calls{ 0 };
std::atomic<int64_t> failing_call{ 0 };
} // namespace

int64_t heap_calls() { return calls; }
void let_heap_call_fail(int64_t n) { failing_call = n > 0 ? calls + n : 0; }

void *operator new(size_t bytes) {
    if (++calls == failing_call) throw std::bad_alloc();
    if (void *pointer = std::malloc(bytes ? bytes : 1)) return pointer;
    throw std::bad_alloc();
}

void operator delete(void *pointer) noexcept { std::free(pointer); }

void operator delete(void *pointer, size_t) noexcept { std::free(pointer); }
