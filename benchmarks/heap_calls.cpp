// SPDX-License-Identifier: BSD-3-Clause
// Counts operator new of the whole process: the libraries find these definitions before those of the C++ library.
#include <atomic>
#include <cstdlib>
#include <new>

#include "pairs.h"

namespace {

std::atomic<int64_t> calls{ 0 };

void *take(size_t bytes, size_t alignment) {
    calls.fetch_add(1, std::memory_order_relaxed);
    const size_t whole = (bytes + alignment - 1) / alignment * alignment;
    void *memory = alignment <= alignof(std::max_align_t) ? std::malloc(bytes ? bytes : 1) : std::aligned_alloc(alignment, whole);
    if (!memory) throw std::bad_alloc();
    return memory;
}

} // namespace

int64_t bench::heap_calls() { return calls.load(std::memory_order_relaxed); }

void *operator new(size_t bytes) { return take(bytes, 1); }
void *operator new[](size_t bytes) { return take(bytes, 1); }
void *operator new(size_t bytes, std::align_val_t alignment) { return take(bytes, static_cast<size_t>(alignment)); }
void *operator new[](size_t bytes, std::align_val_t alignment) { return take(bytes, static_cast<size_t>(alignment)); }
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete[](void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, size_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }
