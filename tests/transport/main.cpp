// SPDX-License-Identifier: BSD-3-Clause
// `transport_tests [--module=FILE [--ranks=N] [--set=KEY=VALUE ...]] [GoogleTest options]`: without a module, threads of this process; with a number
// of ranks, forked processes; else those of a launcher.
#include <cstdio>

#include "forked.h"
#include "harness.h"

namespace {

int run_tests(int argc, char **argv) {
    testing::InitGoogleTest(&argc, argv);
    if (transport_tests::world.bootstrap != nullptr && transport_tests::world.bootstrap->rank > 0) GTEST_FLAG_SET(brief, true);
    return RUN_ALL_TESTS();
}

} // namespace

int main(int argc, char **argv) {
    const char *file = transport_tests::module_wanted(argc, argv);
    const int32_t n_ranks = transport_tests::ranks_wanted(argc, argv);
    if (n_ranks > 0 && file == nullptr) return std::fprintf(stderr, "--ranks needs --module\n"), 2;
    if (file == nullptr) return run_tests(argc, argv);
    transport_tests::take_settings(argc, argv);
    const auto run_over = [&](const halo_bootstrap *bootstrap) {
        if (!transport_tests::take_module(file)) return 1;
        transport_tests::world.bootstrap = bootstrap;
        return run_tests(argc, argv);
    };
    if (n_ranks == 0) return run_over(nullptr);
    return transport_tests::launch_forked(n_ranks, [&](const halo_bootstrap &bootstrap) { return run_over(&bootstrap); });
}
