// SPDX-License-Identifier: BSD-3-Clause
// To be preloaded.
#include "counters.h"

#include <mpi.h>
#include <simgrid/actor.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>

#include "../faults/replaced_heap.h"

namespace {

constexpr size_t most_ranks = 4096;
Counts counts[most_ranks];
bool counting = false;
bool inside = false; // looking at the stack may allocate

Counts &mine() { return counts[std::min(static_cast<size_t>(sg_actor_self_get_pid()), most_ranks - 1)]; }

// dladdr would look for the nearest symbol too, which takes long.
const link_map *object_of(const void *code) {
    dl_find_object found;
    return _dl_find_object(const_cast<void *>(code), &found) == 0 ? found.dlfo_link_map : nullptr;
}

bool is_library(const link_map *object) {
    const char *name = std::strrchr(object->l_name, '/');
    return std::strstr(name ? name : object->l_name, "libhalo") != nullptr;
}

// Most callers tell by themselves; behind a runtime the stack must be looked at.
bool library_asks(const void *caller) {
    static const link_map *self = object_of(reinterpret_cast<const void *>(&library_asks));
    const auto *nearest = object_of(caller);
    if (nearest && !is_runtime(nearest->l_name)) return is_library(nearest);
    void *frames[32];
    const int n = backtrace(frames, 32);
    for (int i = 0; i < n; ++i) {
        const auto *object = object_of(frames[i]);
        if (object && object != self && !is_runtime(object->l_name)) return is_library(object);
    }
    return false;
}

// The simulator runs its ranks in one thread.
void note(size_t bytes, const void *caller) {
    if (!counting || inside) return;
    inside = true;
    if (library_asks(caller)) {
        auto &count = mine();
        ++count.allocations;
        count.allocated_bytes += static_cast<int64_t>(bytes);
        count.greatest_bytes = std::max(count.greatest_bytes, static_cast<int64_t>(bytes));
    }
    inside = false;
}

} // namespace

#define REPLACED extern "C" __attribute__((visibility("default")))

REPLACED Counts take_counts() {
    if (!counting) {
        void *frame;
        backtrace(&frame, 1); // loads what it needs at its first call
        counting = true;
    }
    const Counts taken = mine();
    mine() = {};
    return taken;
}

REPLACED int MPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator, MPI_Request *request) {
    int bytes = 0;
    MPI_Type_size(type, &bytes);
    ++mine().messages;
    mine().message_bytes += static_cast<int64_t>(count) * bytes;
    return PMPI_Isend(data, count, type, to, tag, communicator, request);
}

// The simulator would have a probe that finds nothing compute for a while, and look through all messages of the rank when that is over.
REPLACED int MPI_Iprobe(int from, int tag, MPI_Comm communicator, int *found, MPI_Status *status) {
    constexpr double a_while = 1e-4; // simulated seconds
    const int code = PMPI_Iprobe(from, tag, communicator, found, status);
    if (*found == 0) sg_actor_sleep_for(a_while);
    return code;
}

REPLACED void *malloc(size_t size) {
    note(size, __builtin_return_address(0));
    return __libc_malloc(size);
}
REPLACED void *calloc(size_t nmemb, size_t size) {
    note(nmemb * size, __builtin_return_address(0));
    return __libc_calloc(nmemb, size);
}
REPLACED void *realloc(void *ptr, size_t size) {
    note(size, __builtin_return_address(0));
    return __libc_realloc(ptr, size);
}
REPLACED void *memalign(size_t alignment, size_t size) {
    note(size, __builtin_return_address(0));
    return __libc_memalign(alignment, size);
}
REPLACED void *aligned_alloc(size_t alignment, size_t size) {
    note(size, __builtin_return_address(0));
    return __libc_memalign(alignment, size);
}
REPLACED int posix_memalign(void **memptr, size_t alignment, size_t size) {
    note(size, __builtin_return_address(0));
    void *made = __libc_memalign(alignment, size);
    if (!made) return ENOMEM;
    *memptr = made;
    return 0;
}
REPLACED void free(void *ptr) { __libc_free(ptr); }

// The C++ runtime's would hide who asks.
__attribute__((visibility("default"))) void *operator new(size_t size) {
    note(size, __builtin_return_address(0));
    void *made = __libc_malloc(size);
    if (!made) throw std::bad_alloc();
    return made;
}
__attribute__((visibility("default"))) void operator delete(void *ptr) noexcept { __libc_free(ptr); }
__attribute__((visibility("default"))) void operator delete(void *ptr, size_t) noexcept { __libc_free(ptr); }
