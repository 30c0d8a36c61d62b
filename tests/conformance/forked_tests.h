// SPDX-License-Identifier: BSD-3-Clause
// Ranks of a program of tests as processes that it forks.
#pragma once

#include <functional>

namespace conformance {

// As run_tests (placed.h); with --ranks=N in each of N processes, whose contexts are made over a bootstrap of the tests' own. `verdict` makes the
// exit status of a process from what run_tests has returned.
int run_tests(int argc, char **argv, const std::function<int(int failed)> &verdict);

} // namespace conformance
