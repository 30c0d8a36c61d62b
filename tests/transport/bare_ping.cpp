// SPDX-License-Identifier: BSD-3-Clause
// `transport_bare_ping`: as transport_ping, with nothing but a flag and a copy in and out of memory that two forked processes share: what a transport
// through shared memory cannot be below, as long as it does not copy in parts.
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <vector>

#include "forked.h"

namespace {

constexpr size_t most_bytes = 4 << 20;
constexpr int n_batches = 301;

// Of one direction. A small message lies beside its flag, in one cache line.
struct Way {
    alignas(64) std::atomic<uint64_t> flag;
    unsigned char data[most_bytes];
};

void pin(int32_t core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(core), &set);
    sched_setaffinity(0, sizeof set, &set);
}

void send(Way &way, uint64_t number, const std::vector<unsigned char> &data) {
    std::memcpy(way.data, data.data(), data.size());
    way.flag.store(number, std::memory_order_release);
}

void receive(const Way &way, uint64_t number, std::vector<unsigned char> &data) {
    while (way.flag.load(std::memory_order_acquire) != number) {}
    std::memcpy(data.data(), way.data, data.size());
}

void measure(int32_t rank, Way *ways, uint64_t &number, size_t bytes) {
    std::vector<unsigned char> out(bytes), in(bytes);
    std::vector<double> microseconds;
    const int n = bytes > 100000 ? 20 : 1000;
    for (int batch = 0; batch < n_batches; ++batch) {
        const auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < n; ++i) {
            ++number;
            if (rank == 0) send(ways[0], number, out);
            receive(ways[rank == 0 ? 1 : 0], number, in);
            if (rank == 1) send(ways[1], number, out);
        }
        const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        microseconds.push_back(time.count() / n / 2);
    }
    std::sort(microseconds.begin(), microseconds.end());
    if (rank == 0) std::printf("%9zu bytes: half round trip median %.3f us, best %.3f us\n", bytes, microseconds[n_batches / 2], microseconds[0]);
}

} // namespace

int main() {
    void *memory = mmap(nullptr, 2 * sizeof(Way), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    auto *ways = static_cast<Way *>(memory);
    return transport_tests::launch_forked(2, [ways](const halo_bootstrap &bootstrap) {
        pin(bootstrap.rank);
        uint64_t number = 0;
        // Rank 1 answers: it receives from way 0 and sends by way 1.
        for (const size_t bytes : { 8, 64, 448, 4096, 16384, 65536, 1 << 20, 4 << 20 }) measure(bootstrap.rank, ways, number, bytes);
        return 0;
    });
}
