// SPDX-License-Identifier: BSD-3-Clause
// Which operations of MPI have come before: what is remembered, for how long, and when one goes without a request of its own.
#include <gtest/gtest.h>

#include <map>

#include "mpi/repeated.h"

namespace halo::mpi {
namespace {

constexpr int32_t n_places = 1024;

Repeated::Operation operation(int32_t tag) { return { { 1, 0, tag }, false, nullptr, 8 }; }

TEST(Repeated, WhatHasComeBeforeIsFound) {
    Repeated repeated;
    EXPECT_EQ(repeated.find(operation(1)), nullptr);
    Kept *const kept = repeated.find(operation(1));
    ASSERT_NE(kept, nullptr);
    EXPECT_EQ(repeated.find(operation(1)), kept);
    Repeated::Operation others[] = { operation(1), operation(1), operation(1), operation(1), operation(1) };
    others[0].address.peer = 2;
    others[1].address.lane = 1;
    others[2].sends = true;
    others[3].data = &others;
    others[4].bytes = 9;
    for (const Repeated::Operation &other : others) EXPECT_EQ(repeated.find(other), nullptr);
    EXPECT_EQ(repeated.find(operation(1)), kept);
}

TEST(Repeated, OneInFlightIsNotStartedAgain) {
    Repeated repeated;
    repeated.find(operation(1));
    Kept *const kept = repeated.find(operation(1));
    ASSERT_NE(kept, nullptr);
    kept->in_flight = true;
    EXPECT_EQ(repeated.find(operation(1)), nullptr);
    kept->in_flight = false;
    EXPECT_EQ(repeated.find(operation(1)), kept);
}

// What comes all the time is among those that come once.
TEST(Repeated, WhatHasNotComeForLongestMakesRoom) {
    Repeated repeated;
    repeated.find(operation(0));
    repeated.find(operation(1));
    for (int32_t tag = 2; tag < 20 * n_places; ++tag) {
        EXPECT_NE(repeated.find(operation(0)), nullptr) << "before tag " << tag;
        repeated.find(operation(tag));
    }
    EXPECT_EQ(repeated.find(operation(1)), nullptr);
}

TEST(Repeated, WhatIsInFlightStays) {
    Repeated repeated;
    std::map<int32_t, Kept *> all; // by tag
    for (int32_t tag = 0; tag < 20 * n_places; ++tag) {
        repeated.find(operation(tag));
        Kept *const kept = repeated.find(operation(tag));
        if (kept == nullptr) continue; // those that it may have are in flight
        kept->in_flight = true;
        all[tag] = kept;
    }
    EXPECT_EQ(all.size(), n_places);
    for (const auto &[tag, kept] : all) {
        kept->in_flight = false;
        EXPECT_EQ(repeated.find(operation(tag)), kept);
    }
}

} // namespace
} // namespace halo::mpi
