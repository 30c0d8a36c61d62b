// SPDX-License-Identifier: BSD-3-Clause
// Seconds in runs: short ones are measured now and then, long ones each.
#include <gtest/gtest.h>

#include "exchange/run_times.h"

namespace halo {

namespace {

double test_time = 0;
int looks = 0;
double test_clock() { return ++looks, test_time; }

// One run of so many seconds, half of which are waited.
void run(RunTimes &times, double seconds) {
    times.begin_run();
    times.work([&] { test_time += seconds / 4; });
    times.work([&] {
        test_time += seconds / 4;
        times.wait([&] { test_time += seconds / 2; });
    });
}

TEST(RunTimes, AShortRunStandsForTheNextSeven) {
    looks = 0;
    RunTimes times(test_clock);
    for (int i = 0; i < 16; ++i) run(times, 1e-6);
    EXPECT_NEAR(times.sum().total, 16e-6, 1e-9);
    EXPECT_NEAR(times.sum().waited, 8e-6, 1e-9);
    EXPECT_EQ(looks, 2 * 6);
}

TEST(RunTimes, ALongRunStandsForItselfAlone) {
    RunTimes times(test_clock);
    run(times, 1); // makes tables
    for (int i = 0; i < 8; ++i) run(times, 1e-6);
    EXPECT_NEAR(times.sum().total, 1 + 8e-6, 1e-9);
    looks = 0;
    for (int i = 0; i < 8; ++i) run(times, 1e-3);
    EXPECT_NEAR(times.sum().total, 1 + 8e-6 + 8e-3, 1e-9);
    EXPECT_EQ(looks, 8 * 6);
}

TEST(RunTimes, AShortRunDoesNotStandForOneThatDoesSomethingElse) {
    RunTimes times(test_clock);
    for (int i = 0; i < 4; ++i) {
        run(times, 1e-6);
        times.begin_run();
        times.work([&] {
            times.measure_after_all();
            test_time += 1e-3;
        });
        times.work([&] { times.wait([&] { test_time += 1e-3; }); });
    }
    EXPECT_NEAR(times.sum().total, 4 * (1e-6 + 2e-3), 1e-9);
    EXPECT_NEAR(times.sum().waited, 4 * (0.5e-6 + 1e-3), 1e-9);
}

TEST(RunTimes, ARunInPhasesStandsForNothing) {
    RunTimes times(test_clock);
    for (int i = 0; i < 3; ++i) {
        times.pass_run();
        run(times, 2e-6);
        run(times, 2e-6);
    }
    EXPECT_NEAR(times.sum().total, 12e-6, 1e-9);
}

TEST(RunTimes, ARunThatFailsStandsForNothing) {
    RunTimes times(test_clock);
    times.begin_run();
    EXPECT_THROW(times.work([] { throw 1; }), int);
    for (int i = 0; i < 3; ++i) run(times, 2e-6);
    EXPECT_NEAR(times.sum().total, 6e-6, 1e-9);
}

TEST(RunTimes, AWaitThatLastsCountsInARunThatIsNotMeasured) {
    RunTimes times(test_clock);
    run(times, 1e-6);
    run(times, 1e-6);
    times.add_long_wait(2);
    EXPECT_NEAR(times.sum().total, 2 + 2e-6, 1e-9);
    EXPECT_NEAR(times.sum().waited, 2 + 1e-6, 1e-9);
    run(times, 1e-6);
    EXPECT_NEAR(times.sum().total, 2 + 3e-6, 1e-9);
}

TEST(RunTimes, AWaitThatLastsCountsOnceInARunThatIsMeasured) {
    RunTimes times(test_clock);
    times.begin_run();
    times.work([&] {
        times.wait([&] {
            test_time += 3;
            times.add_long_wait(3);
        });
    });
    EXPECT_NEAR(times.sum().total, 3, 1e-9);
    EXPECT_NEAR(times.sum().waited, 3, 1e-9);
}

} // namespace

} // namespace halo
