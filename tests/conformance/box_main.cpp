// SPDX-License-Identifier: BSD-3-Clause
// usage: halo_box_conformance [--processes] [options of GoogleTest]
// --processes: this process is one rank of a launcher's, or alone; without it ranks are threads.
#include <gtest/gtest.h>

#include <cstring>

#include "box_coverage.h"
#include "placed.h"
#include "ranks.h"

int main(int argc, char **argv) {
    for (int i = 1; i < argc; ++i)
        if (std::strcmp(argv[i], "--processes") == 0) conformance::set_processes();
    testing::InitGoogleTest(&argc, argv);
    int failed = RUN_ALL_TESTS();
    failed = !conformance::print_device_counts() || failed;
    const conformance::BoxCoverage &coverage = conformance::box_coverage();
    if (!coverage.any()) return failed;
    const int empty = coverage.print();
    return failed || (coverage.complete() && empty > 0);
}
