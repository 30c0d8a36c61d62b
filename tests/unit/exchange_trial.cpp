// SPDX-License-Identifier: BSD-3-Clause
// Which path the first runs of an exchange decide for, by a clock that stands still but for the work that it is given.
#include <gtest/gtest.h>

#include "exchange/paths/trial.h"

namespace halo {

namespace {

double now = 0;
double test_clock() { return now; }

// Runs until it is decided; then, is it from storage to storage?
bool decides_for_direct(double direct_seconds, double message_seconds) {
    PathTrial trial(true, test_clock);
    for (uint32_t epoch = 1;; ++epoch) {
        const double work = trial.direct(epoch) ? direct_seconds : message_seconds;
        trial.begin();
        trial.timed([&] { now += 10; });
        trial.begin(); // that one has failed
        trial.timed([&] { now += work / 2; });
        trial.timed([&] { now += work / 2; }); // a run's work is several stretches
        now += 100;                            // and what lies between them does not count
        if (trial.end(epoch)) {
            EXPECT_EQ(epoch, PathTrial::last_epoch);
            EXPECT_FALSE(trial.end(epoch + 1));
            return trial.direct(epoch + 1);
        }
        if (epoch > PathTrial::last_epoch) return ADD_FAILURE() << "nothing was decided", false;
    }
}

TEST(Trial, TakesWhatIsClearlyFaster) {
    EXPECT_TRUE(decides_for_direct(1e-6, 2e-6));
    EXPECT_FALSE(decides_for_direct(2e-6, 1e-6));
    EXPECT_TRUE(decides_for_direct(0.92e-6, 1e-6));
    EXPECT_FALSE(decides_for_direct(0.95e-6, 1e-6)); // ghosts may have to come back from the peer's cache
}

TEST(Trial, TriesBoth) {
    const PathTrial trial(true, test_clock);
    int direct = 0;
    for (uint32_t epoch = 1; epoch <= PathTrial::last_epoch; ++epoch) direct += trial.direct(epoch);
    EXPECT_GE(direct, 8);
    EXPECT_LE(direct, 12);
    EXPECT_EQ(trial.describe(), "being measured");
}

TEST(Trial, MeasuresNothingWhereItIsSet) {
    PathTrial trial(false, test_clock);
    for (uint32_t epoch = 1; epoch < 40; ++epoch) {
        trial.timed([&] { now += epoch % 8; });
        EXPECT_FALSE(trial.end(epoch));
        EXPECT_TRUE(trial.direct(epoch));
    }
    EXPECT_EQ(trial.describe(), "as set");
}

} // namespace

} // namespace halo
