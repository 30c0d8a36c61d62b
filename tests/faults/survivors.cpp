// SPDX-License-Identifier: BSD-3-Clause
// One rank of a ring, of which one is killed, or stopped for a while. Those that give up say how soon, and with which text; all say at last that
// nothing is left of what they had.
//
// usage: halo_survivors kill|short_stop|long_stop SEED    the seed chooses who, when, and how values travel
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "fate.h"
#include "shared_memory_left.h"

namespace conformance {

namespace {

constexpr int n_runs_beside = 20;         // before and after
constexpr double no_trouble_seconds = 60; // where nobody is struck

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// That this thread could have gone on and did not get a core: of that nothing can be said but that the machine is busy.
double seconds_without_core() {
    double on_core = 0, waiting = 0; // nanoseconds
    std::ifstream("/proc/thread-self/schedstat") >> on_core >> waiting;
    return 1e-9 * waiting;
}

template <class... Arguments>
void say(const char *pattern, Arguments... arguments) {
    std::printf(pattern, arguments...);
    std::fflush(stdout);
}

void limit_waits(const Rank &rank, double seconds) { OK(halo_context_set(rank.context, "timeout", text_of("%gs", seconds).c_str())); }

void run_well(Ring &ring) {
    OK(ring.run());
    ring.check();
}

// All go on until the one that was stopped has gone on.
void expect_that_all_goes_on(const Rank &rank, Ring &ring, const Striker &striker) {
    constexpr int together = 50;
    int64_t n_runs = 0;
    for (int64_t n_busy = 1; n_busy > 0; n_runs += together) {
        for (int n = 0; n < together; ++n) run_well(ring);
        n_busy = striker.is_over() ? 0 : 1;
        OK(halo_context_allreduce(rank.context, &n_busy, &n_busy, 1, HALO_INT64, HALO_SUM));
    }
    say("rank %d has gone through %lld runs\n", rank.rank, static_cast<long long>(n_runs));
}

void run_until_it_fails(const Rank &rank, Ring &ring, const Fate &fate) {
    halo_status status = HALO_SUCCESS;
    double last_success = now(), waited_before = seconds_without_core();
    while ((status = ring.run()) == HALO_SUCCESS) {
        ring.check();
        waited_before = seconds_without_core();
        last_success = now();
    }
    const double seconds = std::max(0.0, now() - last_success - (seconds_without_core() - waited_before)); // of two clocks
    const char *who = fate.befalls(rank) ? "victim" : "survivor";
    say("%s %d of what befell %d gave up after %.3f s of %.3f: %s: %s\n", who, rank.rank, fate.victim, seconds, fate.timeout_seconds,
        halo_status_name(status), halo_last_error());
}

// Those that have not been killed. A new exchange of the same context works.
void give_up(const Rank &rank, Ring &ring, const Fate &fate, Striker &striker) {
    run_until_it_fails(rank, ring, fate);
    striker.rank_has_given_up();
    ring.give_up();
    limit_waits(rank, no_trouble_seconds);
    if (fate.strike == Strike::long_stop) {
        OK(halo_context_barrier(rank.context));
        Ring other(rank, fate.way, fate.n_values);
        for (int n = 0; n < n_runs_beside; ++n) run_well(other);
        other.destroy();
    }
}

void run_and_be_struck(const Rank &rank, const Fate &fate) {
    Ring ring(rank, fate.way, fate.n_values);
    for (int n = 0; n < n_runs_beside; ++n) run_well(ring);
    say("rank %d sends %s\n", rank.rank, ring.route().c_str());
    OK(halo_context_barrier(rank.context));
    Striker striker(rank, fate);
    limit_waits(rank, fate.timeout_seconds);
    if (fate.strike == Strike::short_stop)
        expect_that_all_goes_on(rank, ring, striker);
    else
        give_up(rank, ring, fate, striker);
    striker.join();
    ring.destroy();
}

// What the MPI does at its end with a rank that is gone is its own affair: it is not finalised.
void take_part(const std::string &strike, uint64_t seed) {
    Rank self;
    const Fate fate = fate_of(strike, seed, 3);
    OK(make_context(nullptr, -1, { { "path", fate.way.path }, { "shared_memory.least", "0" }, { "check", "no" } }, &self.context));
    OK(halo_context_rank(self.context, &self.rank, &self.size));
    run_and_be_struck(self, fate);
    limit_waits(self, 0.5);
    OK(halo_context_destroy(&self.context));
    expect_no_shared_memory();
    say("rank %d has nothing left\n", self.rank);
}

} // namespace

} // namespace conformance

int main(int argc, char **argv) {
    using namespace conformance;
    set_processes();
    try {
        take_part(argc > 1 ? argv[1] : "kill", argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
        std::_Exit(0);
    } catch (const Stop &reason) {
        say("wrong: %s\n", reason.text.c_str());
        std::_Exit(1);
    }
}
