// SPDX-License-Identifier: BSD-3-Clause
// One open late device, and what all of them share.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "late.h"
#include "memory.h"
#include "once.h"
#include "stream.h"

extern "C" const halo_device_plugin halo_device_host;

namespace late {

inline std::atomic<uint64_t> next_seed{ 1 };
inline std::atomic<int32_t> most_microseconds{ 50 };
inline std::atomic<int32_t> devices_told_of{ 0 };
inline std::atomic<int64_t> allocations_fail_after{ -1 }, pinned_fails_after{ -1 }, launches_fail_after{ -1 };

struct Late;
inline thread_local halo_device *opened_here = nullptr;
inline std::mutex guard; // of all that instances share
inline std::set<Late *> open_ones;
inline late_counts counts_of_all{};

struct Late {
    const halo_host *services;
    halo_device *copies; // the host device, which does the work
    int32_t ordinal;
    Memory memory;
    std::vector<std::unique_ptr<Stream>> streams; // the first one is the device's own
    uint64_t seed = next_seed.fetch_add(1000);
    late_counts counts{};
    Once allocation{ allocations_fail_after }, pinned{ pinned_fails_after }, launch{ launches_fail_after }; // which fails
    Once accepted{ -1 };                                                                                    // launch whose work fails
    Once delayed{ -1 };                                                                                     // launch, and for how long
    std::chrono::microseconds delay{ 0 };
    Once exporting{ -1 }, opening{ -1 }; // which fails

    Late(const halo_host *given, halo_device *host_device, int32_t number) : services(given), copies(host_device), ordinal(number) {
        add_stream();
        const std::lock_guard lock(guard);
        open_ones.insert(this);
    }
    ~Late() {
        {
            const std::lock_guard lock(guard);
            open_ones.erase(this);
        }
        streams.clear(); // does what there is
        halo_device_host.ops->close(copies);
    }
    Stream &stream(halo_stream stream) { return stream ? *static_cast<Stream *>(stream) : *streams.front(); }
    void add_stream() { streams.push_back(std::make_unique<Stream>(seed++, most_microseconds)); }
    void count(int64_t late_counts::*what, int64_t n = 1) {
        counts.*what += n;
        const std::lock_guard lock(guard);
        counts_of_all.*what += n;
    }
    void add_and_wait(halo_stream at, std::function<void()> work) {
        stream(at).add(std::move(work));
        stream(at).synchronize();
        count(&late_counts::host_waits);
    }
};

inline Late &late_of(halo_device *device) { return *reinterpret_cast<Late *>(device); }
inline Event &event_of(halo_event *event) { return *reinterpret_cast<Event *>(event); }

[[gnu::format(printf, 3, 4)]] halo_status report(const halo_host *services, halo_status status, const char *format, ...);

// What other instances use of it (ipc.cpp).
extern const halo_ipc_ops ipc_operations;

} // namespace late
