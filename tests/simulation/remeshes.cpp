// SPDX-License-Identifier: BSD-3-Clause
// Remesh after remesh under random schedules: a linear function goes over all lists of blocks unchanged, whoever is late, and in the end nothing is
// left. SIMULATION_SEED and SIMULATION_FIRST run one schedule again.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>

#include "fibers.h"
#include "soak.h"

namespace {

using conformance::number_from;

struct Schedule {
    uint64_t seed = 0;
    int32_t n_ranks = 2;
    const char *path = "auto";
    double switches = 0.05, delays = 0;

    explicit Schedule(int64_t number) : seed(static_cast<uint64_t>(number_from("SIMULATION_SEED", 31400)) + static_cast<uint64_t>(number)) {
        simulation::Random random(seed);
        n_ranks = 2 + static_cast<int32_t>(random() % 3);
        path = std::array{ "auto", "message", "slot", "direct" }[random() % 4];
        switches = random() % 2 == 0 ? 0.5 : 0.05;
        delays = random() % 2 == 0 ? 0 : 0.1;
    }
};

struct Result {
    std::string failure; // empty: none
    int64_t points = 0;
    int64_t left = 0; // allocations
};

void go_round(const Schedule &schedule, halo_inproc *group, int32_t number, int64_t cycle, Result &result) {
    const halo_setting settings[] = {
        { "timeout", "5s" }, { "wait.spin", "0" }, { "path", schedule.path }, { "shared_memory.least", "0" }, { "log_level", "error" }
    };
    halo_context_options options = HALO_CONTEXT_OPTIONS_INIT;
    options.settings = settings, options.n_settings = std::size(settings);
    try {
        conformance::Rank rank{ nullptr, number, schedule.n_ranks };
        OK(halo_context_create_inproc(group, number, &options, &rank.context));
        levels::Soak(rank, [] { simulation::sleep_for(1e-3); }).go_round(cycle);
        halo_status status = HALO_BUSY; // while a peer may still look at what this rank had
        for (int time = 0; time < 1000 && (status = halo_context_destroy(&rank.context)) == HALO_BUSY; ++time) simulation::sleep_for(0.1);
        OK(status);
    } catch (const conformance::Stop &reason) {
        if (result.failure.empty()) result.failure = conformance::text_of("rank %d: %s", number, reason.text.c_str());
    }
}

Result run(const Schedule &schedule, int64_t cycle) {
    Result result;
    const int64_t before = simulation::n_live();
    halo_inproc *group = nullptr;
    if (halo_inproc_create(schedule.n_ranks, &group) != HALO_SUCCESS) return { halo_last_error() };
    {
        simulation::RandomScheduler scheduler(schedule.seed, schedule.switches, schedule.delays);
        const simulation::Outcome outcome =
            simulation::run(schedule.n_ranks, scheduler, {}, [&](int32_t number) { go_round(schedule, group, number, cycle, result); });
        result.points = outcome.points;
        if (result.failure.empty() && outcome.unread != 0)
            result.failure = conformance::text_of("%lld messages have not been read", static_cast<long long>(outcome.unread));
    }
    if (halo_inproc_destroy(&group) != HALO_SUCCESS && result.failure.empty()) result.failure = halo_last_error();
    if (result.failure.empty()) result.left = simulation::n_live() - before;
    return result;
}

TEST(Remeshes, EndRightWhoeverIsLate) {
    const int64_t first = number_from("SIMULATION_FIRST", 0), n = number_from("SIMULATION_SCHEDULES", 50);
    run(Schedule(first), first); // what a process makes once and keeps
    int64_t points = 0;
    for (int64_t number = first; number < first + n; ++number) {
        const Schedule schedule(number);
        Result result = run(schedule, number);
        // Handles of destroyed contexts are kept, many to an allocation, so not each run leaves one.
        for (int time = 0; time < 4 && result.failure.empty() && result.left > 0; ++time) {
            const int64_t left = result.left;
            result = run(schedule, number);
            result.left = std::min(result.left, left);
        }
        if (result.failure.empty() && result.left > 0)
            result.failure = conformance::text_of("%lld allocations are left", static_cast<long long>(result.left));
        ASSERT_EQ(result.failure, "") << "SIMULATION_FIRST=" << number << ", " << schedule.n_ranks << " ranks, path " << schedule.path;
        points += result.points;
    }
    std::printf("  %lld schedules of %lld remeshes, %lld points\n", static_cast<long long>(n), static_cast<long long>(2 * levels::n_out),
                static_cast<long long>(points));
}

} // namespace
