// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include "late.h"
#include "placed.h"

int main(int argc, char **argv) {
    const int failed = conformance::run_tests(argc, argv);
    const late_counts done = late_count_all();
    std::printf("on late devices: %lld launches, %lld tests, %lld copies, %lld times the host waited\n", static_cast<long long>(done.launches),
                static_cast<long long>(done.tests), static_cast<long long>(done.copies), static_cast<long long>(done.host_waits));
    return failed;
}
