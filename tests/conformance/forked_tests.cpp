// SPDX-License-Identifier: BSD-3-Clause
#include "forked_tests.h"

#include "forked.h"
#include "placed.h"
#include "ranks.h"

namespace conformance {

int run_tests(int argc, char **argv, const std::function<int(int failed)> &verdict) {
    const int32_t n_ranks = transport_tests::ranks_wanted(argc, argv);
    if (n_ranks == 0) return verdict(run_tests(argc, argv));
    return transport_tests::launch_forked(n_ranks, [&](const halo_bootstrap &bootstrap) {
        set_processes_over(bootstrap);
        return verdict(run_tests(argc, argv));
    });
}

} // namespace conformance
