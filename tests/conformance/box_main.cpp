// SPDX-License-Identifier: BSD-3-Clause
// usage: halo_box_conformance [--processes] [options of GoogleTest]
// --processes: this process is one rank of a launcher's, or alone; without it ranks are threads.
#include "box_coverage.h"
#include "placed.h"

int main(int argc, char **argv) {
    const int failed = conformance::run_tests(argc, argv);
    const conformance::BoxCoverage &coverage = conformance::box_coverage();
    if (!coverage.any()) return failed;
    const int empty = coverage.print();
    return failed || (coverage.complete() && empty > 0);
}
