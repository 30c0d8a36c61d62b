// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "base/checked.h"

namespace halo {

namespace {

constexpr int64_t large = INT64_C(1) << 40;

TEST(Checked, AnyStepThatOverflowsIsRemembered) {
    EXPECT_TRUE((Checked(large) * 4 * 0).fits());
    EXPECT_FALSE((Checked(large) * large).fits());
    EXPECT_FALSE((Checked(large) * large * 0).fits());
    EXPECT_FALSE((0 * (Checked(large) * large)).fits());
    EXPECT_FALSE((Checked(large) * large + 1).fits());
    EXPECT_FALSE((1 + Checked(large) * large).fits());
    EXPECT_FALSE((Checked(INT64_MAX) + 1 + INT64_MIN).fits());
}

TEST(Checked, ASizeIsNeitherNegativeNorAboveItsLimit) {
    EXPECT_TRUE(Checked(0).fits());
    EXPECT_FALSE(Checked(-1).fits());
    EXPECT_TRUE((Checked(3) * 4).fits(12));
    EXPECT_FALSE((Checked(3) * 4).fits(11));
}

} // namespace

} // namespace halo
