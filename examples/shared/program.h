// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "ranks.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace ranks {

/// A program's whole run: its options and --inproc are read, then `body(context)` runs on each rank; what it says on the first is the exit code.
/// `of_contexts` are options of all contexts.
template <class Body>
int run_program(CLI::App &options, int argc, char **argv, Body &&body, const halo_context_options *of_contexts = nullptr) {
    int inproc = 0;
    options.add_option("--inproc", inproc, "ranks as so many threads of this process; else those of the launcher, or one")
        ->check(CLI::PositiveNumber);
    CLI11_PARSE(options, argc, argv);
    try {
        return run(options.get_name().c_str(), inproc, body, of_contexts) ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s: %s\n", options.get_name().c_str(), failure.what());
        return EXIT_FAILURE;
    }
}

} // namespace ranks
