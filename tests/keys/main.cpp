// SPDX-License-Identifier: BSD-3-Clause
// usage: test_keys [--processes] [options of GoogleTest]
// --processes: this process is one rank of a launcher's, or alone; without it ranks are threads.
#include <gtest/gtest.h>

#include <cstring>

#include "placed.h"
#include "ranks.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        if (std::strcmp(argv[i], "--processes") == 0) conformance::set_processes();
    testing::InitGoogleTest(&argc, argv);
    const int failed = RUN_ALL_TESTS();
    return !conformance::print_device_counts() || failed;
}
