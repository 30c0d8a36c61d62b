// SPDX-License-Identifier: BSD-3-Clause
#include "failing_heap.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <sys/mman.h>

#include "replaced_heap.h"

namespace {

struct Range {
    uintptr_t begin = 0, end = 0;
    bool has(uintptr_t address) const { return address >= begin && address < end; }
};

constexpr int most_frames = 96;
constexpr int most_places = 10;

// Where objects lie in memory. Read once: nothing is unloaded while it is looked at.
struct Objects {
    Range library;
    Range runtimes[16];
    int n_runtimes = 0;
};
Objects objects;
std::atomic<bool> objects_known{ false };

int note_object(dl_phdr_info *info, size_t, void *) {
    Range range{ UINTPTR_MAX, 0 };
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto &header = info->dlpi_phdr[i];
        if (header.p_type != PT_LOAD) continue;
        range.begin = std::min<uintptr_t>(range.begin, info->dlpi_addr + header.p_vaddr);
        range.end = std::max<uintptr_t>(range.end, info->dlpi_addr + header.p_vaddr + header.p_memsz);
    }
    const char *slash = std::strrchr(info->dlpi_name, '/');
    const char *name = slash ? slash + 1 : info->dlpi_name;
    if (std::strstr(name, "libhalo.so") == name) objects.library = range; // none of its modules
    if ((is_runtime(name) || std::strstr(name, "ld-linux")) && objects.n_runtimes < 16) objects.runtimes[objects.n_runtimes++] = range;
    return 0;
}

struct Live {
    Live *next;
    const void *memory;
    uint32_t places[most_places];
    uint64_t where() const { return static_cast<uint64_t>(places[0]) << 42 ^ static_cast<uint64_t>(places[1]) << 21 ^ places[2]; }
};
constexpr size_t n_buckets = 1 << 14;
Live *buckets[n_buckets];
Live *free_entries = nullptr;
std::atomic_flag table_lock;
constexpr int most_kept = 4096;
uint64_t kept[most_kept];
int n_kept = 0;

struct Locked {
    Locked() {
        while (table_lock.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    }
    ~Locked() { table_lock.clear(std::memory_order_release); }
    Locked(const Locked &) = delete;
    Locked &operator=(const Locked &) = delete;
};

size_t bucket_of(const void *memory) { return (reinterpret_cast<uintptr_t>(memory) >> 4) * 0x9e3779b97f4a7c15u >> 50; }

struct Caller {
    bool is_library = false;
    uint64_t chain = 0xcbf29ce484222325u;
    uintptr_t outermost = 0;
    uint32_t places[most_places] = {};
};

thread_local bool inside = false; // looking at the stack may allocate
thread_local bool watching = false;
thread_local int64_t n_seen = 0;
thread_local int64_t failing = 0;
thread_local bool failed = false;
thread_local bool lasting = false; // once it has failed
thread_local Caller failed_at;
thread_local heap::Point failed_point;

// `direct`: whom the replaced function returns to.
Caller caller_of(const void *direct) {
    Caller caller;
    void *frames[most_frames];
    const int n = backtrace(frames, most_frames);
    int first = 0;
    while (first < n && frames[first] != direct) ++first;
    int n_places = 0;
    for (int i = first; i < n; ++i) {
        const auto address = reinterpret_cast<uintptr_t>(frames[i]);
        if (!objects.library.has(address)) {
            if (caller.is_library) continue;
            const bool runtime =
                std::any_of(objects.runtimes, objects.runtimes + objects.n_runtimes, [&](const Range &range) { return range.has(address); });
            if (!runtime) return caller;
            continue;
        }
        caller.is_library = true;
        caller.outermost = address;
        const uintptr_t place = address - objects.library.begin;
        if (n_places < most_places) caller.places[n_places++] = static_cast<uint32_t>(place);
        caller.chain = (caller.chain ^ place) * 0x100000001b3u;
    }
    return caller;
}

// May the allocation be made?
bool look(const void *direct, Caller &caller) {
    if (inside || !objects_known.load(std::memory_order_acquire)) return true;
    inside = true;
    caller = caller_of(direct);
    inside = false;
    if (!caller.is_library || !watching) return true;
    if (++n_seen != failing && !(failed && lasting)) return true;
    if (!failed) failed_at = caller;
    failed = true;
    errno = ENOMEM;
    return false;
}

void enter(void *memory, const Caller &caller) {
    if (!memory || !caller.is_library) return;
    const Locked locked;
    if (!free_entries) {
        constexpr size_t n = 1 << 14;
        void *chunk = mmap(nullptr, n * sizeof(Live), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (chunk == MAP_FAILED) return;
        for (size_t i = 0; i < n; ++i) {
            Live *entry = static_cast<Live *>(chunk) + i;
            entry->next = free_entries;
            free_entries = entry;
        }
    }
    Live *entry = free_entries;
    free_entries = entry->next;
    Live *&bucket = buckets[bucket_of(memory)];
    entry->next = bucket;
    entry->memory = memory;
    std::copy(caller.places, caller.places + most_places, entry->places);
    bucket = entry;
}

void leave(const void *memory) {
    if (!memory || !objects_known.load(std::memory_order_relaxed)) return;
    const Locked locked;
    for (Live **place = &buckets[bucket_of(memory)]; *place; place = &(*place)->next) {
        Live *entry = *place;
        if (entry->memory != memory) continue;
        *place = entry->next;
        entry->next = free_entries;
        free_entries = entry;
        return;
    }
}

bool is_kept(uint64_t where) { return std::find(kept, kept + n_kept, where) != kept + n_kept; }

template <class Visit>
void for_live(Visit &&visit) {
    const Locked locked;
    for (const Live *entry : buckets)
        for (; entry; entry = entry->next)
            if (!is_kept(entry->where())) visit(*entry);
}

void print_places(char *text, size_t bytes, const uint32_t (&places)[most_places]) {
    size_t used = 0;
    text[0] = 0;
    for (const uint32_t place : places)
        if (place && used + 16 < bytes) used += static_cast<size_t>(std::snprintf(text + used, bytes - used, " 0x%x", place - 1));
}

} // namespace

namespace heap {

std::string Point::function() const {
    Dl_info info;
    return call && dladdr(call, &info) && info.dli_sname ? info.dli_sname : "?";
}

void watch(int64_t fails, bool fails_on) {
    static std::once_flag once;
    std::call_once(once, [] {
        void *frame;
        backtrace(&frame, 1); // loads what it needs at its first call
        dl_iterate_phdr(note_object, nullptr);
        objects_known = true;
    });
    n_seen = 0;
    failing = fails;
    lasting = fails_on;
    failed = false;
    watching = true;
}

void recover() { lasting = false; }

int64_t unwatch() {
    watching = false;
    return n_seen;
}

bool has_failed() { return failed; }

const Point &point_of_failure() {
    char text[most_places * 16];
    print_places(text, sizeof text, failed_at.places);
    failed_point = { failed_at.chain, reinterpret_cast<const void *>(failed_at.outermost), text };
    return failed_point;
}

int64_t n_live() {
    int64_t n = 0;
    for_live([&](const Live &) { ++n; });
    return n;
}

std::string describe_live() {
    char text[8][most_places * 16];
    int n = 0;
    for_live([&](const Live &entry) {
        if (n < 8) print_places(text[n++], sizeof text[0], entry.places);
    });
    std::string all;
    for (int i = 0; i < n; ++i) all += std::string("\n   ") + text[i];
    return all;
}

void keep_live_places() {
    const Locked locked;
    for (const Live *entry : buckets)
        for (; entry; entry = entry->next)
            if (!is_kept(entry->where()) && n_kept < most_kept) kept[n_kept++] = entry->where();
}

} // namespace heap

#define REPLACED extern "C" __attribute__((visibility("default"), noinline))
#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

REPLACED void *malloc(size_t size) {
    Caller caller;
    void *made = look(CALLER, caller) ? __libc_malloc(size) : nullptr;
    enter(made, caller);
    return made;
}
REPLACED void *calloc(size_t nmemb, size_t size) {
    Caller caller;
    void *made = look(CALLER, caller) ? __libc_calloc(nmemb, size) : nullptr;
    enter(made, caller);
    return made;
}
REPLACED void *realloc(void *ptr, size_t size) {
    Caller caller;
    if (!look(CALLER, caller)) return nullptr;
    leave(ptr);
    void *made = __libc_realloc(ptr, size);
    enter(made, caller);
    return made;
}
REPLACED void *memalign(size_t alignment, size_t size) {
    Caller caller;
    void *made = look(CALLER, caller) ? __libc_memalign(alignment, size) : nullptr;
    enter(made, caller);
    return made;
}
REPLACED void *aligned_alloc(size_t alignment, size_t size) {
    Caller caller;
    void *made = look(CALLER, caller) ? __libc_memalign(alignment, size) : nullptr;
    enter(made, caller);
    return made;
}
REPLACED int posix_memalign(void **memptr, size_t alignment, size_t size) {
    Caller caller;
    void *made = look(CALLER, caller) ? __libc_memalign(alignment, size) : nullptr;
    enter(made, caller);
    if (!made) return ENOMEM;
    *memptr = made;
    return 0;
}
REPLACED void free(void *ptr) {
    leave(ptr);
    __libc_free(ptr);
}
