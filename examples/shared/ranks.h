// SPDX-License-Identifier: BSD-3-Clause
/// One program for every way to run it: alone, under an MPI launcher, or with its ranks as threads of one process.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <vector>

#include <halo.hpp>

namespace ranks {

/// An error of one rank ends the whole program: the others would wait for it.
template <class MakeContext, class Body>
bool run_one(const char *program, MakeContext &&make_context, Body &&body) {
    try {
        const halo::Context context = make_context();
        return body(context);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "%s: %s\n", program, failure.what());
        std::quick_exit(EXIT_FAILURE);
    }
}

/// Calls `body(context)` on each rank, which are `n_threads` threads, or, where that is 0, those of the launcher. What it says on this process's
/// first rank. `options` are those of all contexts.
template <class Body>
bool run(const char *program, int n_threads, Body &&body, const halo_context_options *options = nullptr) {
    if (n_threads == 0)
        return run_one(
            program, [&] { return halo::Context(options); }, body);
    const halo::Inproc group(n_threads);
    std::vector<char> passed(static_cast<std::size_t>(n_threads), 0);
    {
        std::vector<std::jthread> threads;
        threads.reserve(passed.size());
        for (int rank = 0; rank < n_threads; ++rank)
            threads.emplace_back([&, rank] {
                passed[static_cast<std::size_t>(rank)] = run_one(
                    program, [&] { return halo::Context(group, rank, options); }, body);
            });
    }
    return passed[0] != 0;
}

} // namespace ranks
