// SPDX-License-Identifier: BSD-3-Clause
// Remesh after remesh: what is there is after many as after few; so is, with REMESHES_TIMED=1 and where one rank has the machine, how long an
// exchange takes.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "kept.h"
#include "soak.h"

namespace {

using namespace levels;

constexpr int64_t n_timed = 20; // exchanges after each cycle, of which the fastest counts
constexpr int64_t most_cycles_more = 40;
constexpr double slower = 3;           // what noise may do to the fastest
constexpr int64_t more_bytes = 262144; // of the heap: lists that grow once

// Seconds of the fastest of some.
double time_exchange(const Rank &rank, const Mesh &mesh) {
    double fastest = 1e30;
    for (int64_t i = 0; i < n_timed; ++i) {
        OK(halo_context_barrier(rank.context));
        const auto begin = std::chrono::steady_clock::now();
        OK(halo_exchange_start(mesh.exchange(), nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(mesh.exchange(), HALO_STREAM_NONE));
        fastest = std::min(fastest, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return fastest;
}

// What is there after a cycle.
struct Sample {
    int64_t pool_bytes = 0, peak_bytes = 0, heap_bytes = 0;
    double seconds = 0; // of an exchange
};

Sample sample(const Rank &rank, const Mesh &mesh) {
    Sample taken;
    taken.seconds = time_exchange(rank, mesh);
    OK(halo_context_barrier(rank.context));
    OK(halo_context_trim(rank.context)); // other lists have had buffers of other sizes
    const conformance::Kept kept = conformance::kept_between_cycles(rank);
    taken.heap_bytes = kept.bytes + kept.mapped_bytes;
    halo_pool_stats pool = HALO_POOL_STATS_INIT;
    OK(halo_context_pool_stats(rank.context, HALO_MEMORY_HOST, &pool));
    taken.pool_bytes = pool.in_use_bytes, taken.peak_bytes = pool.peak_bytes;
    return taken;
}

// The first cycle may make what stays; of the others the first half is compared with the second.
class History {
public:
    explicit History(const Rank &rank) : is_judged_(rank.size == 1 && conformance::number_from("REMESHES_TIMED", 0) != 0) {}
    void add(const Sample &sample) { samples_.push_back(sample); }
    int64_t size() const { return std::ssize(samples_); }
    bool has_become_slow() const { return is_judged_ && after(&Sample::seconds, least) > slower * before(&Sample::seconds, least); }
    void expect_flat(const Rank &rank) const {
        const int64_t pool = before(&Sample::pool_bytes, most), pool_after = after(&Sample::pool_bytes, most);
        const int64_t peak = before(&Sample::peak_bytes, most), peak_after = after(&Sample::peak_bytes, most);
        const int64_t heap = before(&Sample::heap_bytes, most), heap_after = after(&Sample::heap_bytes, most);
        const double seconds = before(&Sample::seconds, least), seconds_after = after(&Sample::seconds, least);
        if (conformance::prints(rank))
            std::printf(
                "%lld remeshes: pools have %lld bytes, then %lld (at most %lld, then %lld), the heap %lld, then %lld; an exchange takes %.1f us, "
                "then %.1f us\n",
                static_cast<long long>(2 * n_out * size()), static_cast<long long>(pool), static_cast<long long>(pool_after),
                static_cast<long long>(peak), static_cast<long long>(peak_after), static_cast<long long>(heap), static_cast<long long>(heap_after),
                1e6 * seconds, 1e6 * seconds_after);
        // Messages take a second buffer when a peer is late.
        if (rank.size == 1 ? pool_after != pool : pool_after > pool + pool / 4 + more_bytes)
            stop("pools had %lld bytes in use, now %lld", static_cast<long long>(pool), static_cast<long long>(pool_after));
        if (heap_after > heap + more_bytes + (rank.size == 1 ? 0 : heap / 4))
            stop("the heap had %lld bytes in use, now %lld", static_cast<long long>(heap), static_cast<long long>(heap_after));
        if (has_become_slow()) stop("an exchange took %g us, now %g us", 1e6 * seconds, 1e6 * seconds_after);
    }

private:
    static constexpr auto least = [](auto a, auto b) { return std::min(a, b); };
    static constexpr auto most = [](auto a, auto b) { return std::max(a, b); };
    template <class T, class Choose>
    T chosen(T Sample::*figure, int64_t first, int64_t end, Choose &&choose) const {
        T one = samples_[static_cast<size_t>(first)].*figure;
        for (int64_t i = first; i < end; ++i) one = choose(one, samples_[static_cast<size_t>(i)].*figure);
        return one;
    }
    template <class T, class Choose>
    T before(T Sample::*figure, Choose &&choose) const {
        return chosen(figure, 1, size() / 2, choose);
    }
    template <class T, class Choose>
    T after(T Sample::*figure, Choose &&choose) const {
        return chosen(figure, size() / 2, size(), choose);
    }

    const bool is_judged_; // by time
    std::vector<Sample> samples_;
};

// What has become slow stays so; what other programs have slowed down does not.
void go_through(const Rank &rank, int64_t n_cycles) {
    Soak soak(rank);
    History history(rank);
    for (int64_t cycle = 0; cycle < n_cycles || (cycle < n_cycles + most_cycles_more && history.has_become_slow()); ++cycle) {
        soak.go_round(cycle);
        history.add(sample(rank, soak.mesh()));
    }
    history.expect_flat(rank);
}

TEST(RemeshSoak, LeavesNothingBehind) {
    const int64_t n_cycles = std::max<int64_t>(conformance::number_from("REMESHES", 64) / (2 * n_out), 4);
    for (const int32_t n_ranks : { 1, 3 }) {
        conformance::run(n_ranks, {}, [&](Rank &rank) { go_through(rank, n_cycles); });
        if (HasFailure() || !conformance::threads()) return; // processes are as many as there are
    }
}

} // namespace
