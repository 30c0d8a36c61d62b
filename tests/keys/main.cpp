// SPDX-License-Identifier: BSD-3-Clause
// usage: test_keys [--processes] [options of GoogleTest]
// --processes: this process is one rank of a launcher's, or alone; without it ranks are threads.
#include "left_out.h"
#include "placed.h"

namespace {

const conformance::LeftOutOnDevices left_out[] = {
    { "*Fetch*", "devices refuse fetches" },
    { "*ByRank*", "devices refuse this order" },
    { "*Loans*", "of storage that ranks of a host share" },
    { "*Refused*", "it is refused, nothing is exchanged" },
    { "*NoSharedReduce*", "it is refused, nothing is exchanged" },
    { "*OtherPointsOnTheOtherSide*", "it is refused, nothing is exchanged" },
    { "*Everywhere*", "what keys cost; nothing is exchanged there" },
    { "*TouchesWhomItConcerns*", "what keys cost; nothing is exchanged there" },
    { "*RoundAChain*", "nothing is exchanged there" },
};

} // namespace

int main(int argc, char **argv) { return conformance::run_tests(argc, argv); }
