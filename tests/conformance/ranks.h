// SPDX-License-Identifier: BSD-3-Clause
// Runs one body on every rank of a context: threads of this process, or the processes of a launcher.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "halo.h"

namespace conformance {

// Ends the rank's body and fails the test.
struct Stop {
    std::string text;
};
[[noreturn, gnu::format(printf, 1, 2)]] void stop(const char *pattern, ...);
[[gnu::format(printf, 1, 2)]] std::string text_of(const char *pattern, ...);

// Stops with the library's text unless the call succeeded.
void succeed(halo_status status, const char *call, const char *file, int line);
#define OK(call) ::conformance::succeed((call), #call, __FILE__, __LINE__)

using Settings = std::vector<std::pair<std::string, std::string>>;

struct Rank {
    halo_context *context = nullptr;
    int32_t rank = 0;
    int32_t size = 1;
};

// A context with settings; "timeout" is 60 s unless given, so that nothing hangs. With CONFORMANCE_STORAGE=device it has that of tests
// (test_device.h). `group` null: halo_context_create, or over the bootstrap of set_processes_over.
halo_status make_context(halo_inproc *group, int32_t rank, const Settings &settings, halo_context **context);

// False: this process is one rank of several (options --processes, --ranks).
bool threads();
void set_processes();
// The same, and all contexts are made over this, which stays.
void set_processes_over(const halo_bootstrap &bootstrap);

// `n_ranks` counts for threads only. Contexts are made before and destroyed after the body.
void run(int32_t n_ranks, const Settings &settings, const std::function<void(Rank &)> &body);
// Each rank with settings of its own. A process asks a context that it makes before which rank it is.
void run_each(int32_t n_ranks, const std::function<Settings(int32_t rank)> &settings, const std::function<void(Rank &)> &body);
// The body makes its own context; as threads only.
void run_raw(int32_t n_ranks, const std::function<void(halo_inproc *group, int32_t rank)> &body);

// With CONFORMANCE_PREPARE=1, as messages in a neighbourhood collective want it, ahead of the first run.
void prepare_if_asked(halo_exchange *exchange);

// halo_exchange_describe.
std::string description_of(const halo_exchange *exchange);

// What a parameterised test runs over: 1, 2, 3, 4, 5, 8 as threads; 0 under a launcher.
std::vector<int32_t> rank_counts();

// Memory for storage: with CONFORMANCE_STORAGE=shared, of the context that `run` gave this thread; else of the C++ library. With =device it may have
// a twin on the device (placed.h), with =shared_device one that the context has given, which peers may reach.
bool storage_is_shared();
bool storage_is_on_device();
bool device_memory_is_shared();
std::byte *take_memory(size_t bytes, bool shared = true);
void give_memory(std::byte *memory, bool shared = true) noexcept;

template <class T, bool shared = true>
struct StorageAllocator {
    using value_type = T;
    template <class U>
    struct rebind {
        using other = StorageAllocator<U, shared>;
    };
    T *allocate(size_t n) { return reinterpret_cast<T *>(take_memory(n * sizeof(T), shared)); }
    void deallocate(T *memory, size_t) noexcept { give_memory(reinterpret_cast<std::byte *>(memory), shared); }
    bool operator==(const StorageAllocator &) const = default;
};
using Bytes = std::vector<std::byte, StorageAllocator<std::byte>>;
template <class T>
using OwnMemory = std::vector<T, StorageAllocator<T, false>>; // never shared

// Value of an environment variable as a number.
int64_t number_from(const char *variable, int64_t otherwise);

// Of n cases that a test draws those that CONFORMANCE_PERCENT leaves: where each takes many times as long.
int64_t n_drawn(int64_t n);

// Is this the rank that prints?
bool prints(const Rank &rank);

} // namespace conformance
