// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstdlib>

#include <sys/resource.h>

#include "memory/shared_file.h"

namespace halo {

namespace {

// In a process that knows nothing yet.
TEST(HostNumberDeathTest, IsReadAgainWhereItCouldNotBe) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto read_twice = [] {
        rlimit before{};
        getrlimit(RLIMIT_NOFILE, &before);
        const rlimit none{ 0, before.rlim_max };
        setrlimit(RLIMIT_NOFILE, &none);
        const uint64_t without = host_number();
        setrlimit(RLIMIT_NOFILE, &before);
        std::exit(without == 0 && host_number() != 0 ? 0 : 1);
    };
    EXPECT_EXIT(read_twice(), testing::ExitedWithCode(0), "");
}

} // namespace

} // namespace halo
