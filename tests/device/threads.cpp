// SPDX-License-Identifier: BSD-3-Clause
// Threads give the same bytes; a build that has none says so.
#include <gtest/gtest.h>

#include "ghost_case.h"
#include "tested_device.h"

namespace {

using namespace halo::test;

TEST(Threads, SameResult) {
    const TestedDevice device("3");
    GhostWork work({ 48, 8, 2, 2 });
    const TestedTable table(device, work.shapes(), work.rows());
    for (int again = 0; again < 3; ++again) {
        work.fill();
        table.run(work.bases());
        ASSERT_EQ(work.wrong_values(), 0);
    }
}

TEST(Threads, SaysOnceWhenThereAreNone) {
    EXPECT_TRUE(TestedDevice("1").log().empty());
    const TestedDevice device("2");
#ifdef HALO_HAS_OPENMP
    EXPECT_TRUE(device.log().empty());
#else
    ASSERT_EQ(device.log().size(), 1U);
    EXPECT_NE(device.log()[0].find("OpenMP"), std::string::npos);
#endif
}

} // namespace
