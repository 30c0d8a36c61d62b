// SPDX-License-Identifier: BSD-3-Clause
#include "heap_of_library.h"

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include <dlfcn.h>
#include <execinfo.h>

#include "replaced_heap.h"

namespace {

thread_local bool counting = false;
thread_local bool inside = false; // looking at the stack may allocate
thread_local heap::Calls calls;
thread_local char caller[256];

// A device of tests is none.
bool is_of_library(const char *object) { return std::strstr(object, "libhalo") && !std::strstr(object, "libhalo_device_late"); }

// The first object on the stack that is neither a runtime nor the counter itself.
void note() {
    if (!counting || inside) return;
    inside = true;
    Dl_info self;
    dladdr(reinterpret_cast<const void *>(&note), &self);
    void *frames[32];
    const int n = backtrace(frames, 32);
    bool library = false;
    for (int i = 0; i < n; ++i) {
        Dl_info info;
        if (!dladdr(frames[i], &info) || !info.dli_fname || is_runtime(info.dli_fname)) continue;
        if (i < 4 && info.dli_fbase == self.dli_fbase) continue; // note, malloc
        const char *name = std::strrchr(info.dli_fname, '/');
        library = is_of_library(name ? name : info.dli_fname);
        if (library && !caller[0])
            std::snprintf(caller, sizeof caller, "%s(+0x%zx)", info.dli_fname,
                          static_cast<size_t>(static_cast<char *>(frames[i]) - static_cast<char *>(info.dli_fbase)));
        break;
    }
    ++(library ? calls.library : calls.others);
    inside = false;
}

} // namespace

void heap::start_counting() {
    void *frame;
    backtrace(&frame, 1); // loads what it needs at its first call
    calls = {};
    caller[0] = 0;
    counting = true;
}

heap::Calls heap::stop_counting() {
    counting = false;
    return calls;
}

const char *heap::first_caller() { return caller; }

#define REPLACED extern "C" __attribute__((visibility("default")))

REPLACED void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}
REPLACED void *calloc(size_t nmemb, size_t size) {
    note();
    return __libc_calloc(nmemb, size);
}
REPLACED void *realloc(void *ptr, size_t size) {
    note();
    return __libc_realloc(ptr, size);
}
REPLACED void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}
REPLACED void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}
REPLACED int posix_memalign(void **memptr, size_t alignment, size_t size) {
    note();
    void *made = __libc_memalign(alignment, size);
    if (!made) return ENOMEM;
    *memptr = made;
    return 0;
}
REPLACED void free(void *ptr) { __libc_free(ptr); }
