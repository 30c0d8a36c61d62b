// SPDX-License-Identifier: BSD-3-Clause
// `transport_ping [--module=FILE [--ranks=2] [--set=KEY=VALUE ...]]`: half round trip between ranks 0 and 1, printed for several sizes. Threads and
// forked processes are pinned to cores 0 and 1; others by their launcher.
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "forked.h"
#include "harness.h"

namespace {

using transport_tests::Rank;
using transport_tests::require;

constexpr int n_batches = 301;

void pin(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(core), &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

void finish(Rank &r, halo_request &request) {
    int32_t done = 0;
    size_t bytes = 0;
    do require(r.ops.test(r.transport, &request, &done, &bytes) == HALO_SUCCESS, "test: %s", r.error.c_str());
    while (done == 0);
}

void one_way(Rank &r, int32_t peer, const void *out, void *in, size_t bytes, bool sends_first) {
    halo_request sending;
    halo_request receiving;
    std::memset(&receiving, 0, sizeof receiving);
    require(r.ops.receive(r.transport, peer, 0, 1, in, bytes, &receiving) == HALO_SUCCESS, "receive: %s", r.error.c_str());
    if (!sends_first) finish(r, receiving);
    std::memset(&sending, 0, sizeof sending);
    require(r.ops.send(r.transport, peer, 0, 1, out, bytes, &sending) == HALO_SUCCESS, "send: %s", r.error.c_str());
    if (sends_first) finish(r, receiving);
    finish(r, sending);
}

void measure(Rank &r, size_t bytes) {
    std::vector<unsigned char> out(bytes), in(bytes);
    std::vector<double> microseconds;
    int n = bytes > 100000 ? 20 : 1000;
    for (int batch = 0; batch < n_batches; ++batch) {
        auto start = std::chrono::steady_clock::now();
        for (int i = 0; i < n; ++i) one_way(r, 1 - r.rank, out.data(), in.data(), bytes, r.rank == 0);
        std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
        microseconds.push_back(time.count() / n / 2);
    }
    std::sort(microseconds.begin(), microseconds.end());
    if (r.rank == 0) std::printf("%9zu bytes: half round trip median %.3f us, best %.3f us\n", bytes, microseconds[n_batches / 2], microseconds[0]);
}

int measure_all() {
    transport_tests::run(2, [](Rank &r) {
        if (transport_tests::world.threads() || transport_tests::world.bootstrap != nullptr) pin(r.rank);
        require(r.size == 2, "two ranks wanted, there are %d", r.size);
        for (size_t bytes : { 8, 64, 448, 4096, 16384, 65536, 1 << 20, 4 << 20 }) measure(r, bytes);
    });
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    const char *file = transport_tests::module_wanted(argc, argv);
    const int32_t n_ranks = transport_tests::ranks_wanted(argc, argv);
    transport_tests::take_settings(argc, argv);
    if (n_ranks == 0 || file == nullptr) return file == nullptr || transport_tests::take_module(file) ? measure_all() : 1;
    return transport_tests::launch_forked(n_ranks, [&](const halo_bootstrap &bootstrap) {
        transport_tests::world.bootstrap = &bootstrap;
        return transport_tests::take_module(file) ? measure_all() : 1;
    });
}
