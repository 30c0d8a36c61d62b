// SPDX-License-Identifier: BSD-3-Clause
// usage: halo_conformance [--processes | --ranks=N] [options of GoogleTest]
// --processes: this process is one rank of a launcher's, or alone; --ranks: N processes, which this one forks; without them ranks are threads.
#include "coverage.h"
#include "forked_tests.h"
#include "library.h"

int main(int argc, char **argv) {
    return conformance::run_tests(argc, argv, [](int failed) -> int {
        const conformance::Coverage &coverage = conformance::coverage();
        if (!coverage.any()) return failed;
        const int empty = coverage.print();
        return failed || (coverage.complete() && empty > 0);
    });
}
