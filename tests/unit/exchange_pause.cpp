// SPDX-License-Identifier: BSD-3-Clause
// How often what is in vain is tried again.
#include <gtest/gtest.h>

#include "exchange/paths/pause.h"

namespace halo {

namespace {

// Runs in which it is left out before it is tried again.
int left_out(Pause &pause) {
    int n = 0;
    while (pause.lasts()) ++n;
    return n;
}

TEST(Pause, IsTwiceAsLongEachTime) {
    Pause pause;
    EXPECT_EQ(left_out(pause), 0);
    for (const int wanted : { 1, 2, 4, 8, 16, 32, 64, 64, 64 }) {
        pause.was_in_vain();
        EXPECT_EQ(left_out(pause), wanted);
    }
    pause.was_of_use();
    pause.was_in_vain();
    EXPECT_EQ(left_out(pause), 1);
}

} // namespace

} // namespace halo
