// SPDX-License-Identifier: BSD-3-Clause
// usage: halo_box_conformance [--processes | --ranks=N] [options of GoogleTest]
// --processes: this process is one rank of a launcher's, or alone; --ranks: N processes, which this one forks; without them ranks are threads.
#include "box_coverage.h"
#include "forked_tests.h"
#include "left_out.h"
#include "placed.h"

namespace {

const conformance::LeftOutOnDevices left_out[] = {
    { "*BoxQueries*", "nothing is exchanged there" },
    { "*QueriesEqual*", "nothing is exchanged there" },
    { "*Errors.*", "it is refused, nothing is exchanged" },
    { "*Refused*", "it is refused, nothing is exchanged" },
    { "Sweeps.WhatTheyRefuse", "it is refused, nothing is exchanged" },
    { "BoxCut.*", "nothing is exchanged there" },
    { "ReducedRows.*", "nothing is exchanged there" },
    { "*SendsToNeighbours*", "nothing is exchanged there" },
    { "Prepare.*", "what the host allocates, of fields that the library has allocated" },
    { "*Reuse*", "what the host compiles, of fields that the library has allocated" },
    { "*Canonical.*", "canonical sums are the host's" },
};

} // namespace

int main(int argc, char **argv) {
    return conformance::run_tests(argc, argv, [](int failed) -> int {
        const conformance::BoxCoverage &coverage = conformance::box_coverage();
        if (!coverage.any()) return failed;
        const int empty = coverage.print();
        return failed || (coverage.complete() && empty > 0);
    });
}
