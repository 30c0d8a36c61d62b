// SPDX-License-Identifier: BSD-3-Clause
// `shm_tests [GoogleTest options]`
#include "shm_ranks.h"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace shm_tests {

void run_unopened(int32_t n, const RawBody &body, const std::vector<int32_t> &killed) {
    const auto in_process = [&](const halo_bootstrap &bootstrap) {
        const halo_transport_params params{ sizeof(halo_transport_params), nullptr, 0, nullptr, -1, 0, &bootstrap };
        try {
            body(*world.plugin, params);
            return 0;
        } catch (const Stop &stop) {
            std::fprintf(stderr, "rank %d: %s\n", bootstrap.rank, stop.text.c_str());
            std::_Exit(1);
        }
    };
    const std::vector<int> statuses = run_forked(n, in_process, 90);
    for (int32_t rank = 0; rank < n; ++rank) {
        const int status = statuses[static_cast<size_t>(rank)];
        if (std::find(killed.begin(), killed.end(), rank) == killed.end())
            EXPECT_EQ(failure_of(status), "") << "rank " << rank;
        else
            EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "rank " << rank << " " << failure_of(status);
    }
}

void run_ranks(int32_t n, const Body &body, const std::vector<int32_t> &killed) {
    const auto opened = [&](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank rank(plugin, params);
        body(rank);
    };
    run_unopened(n, opened, killed);
}

void meet_elsewhere(const halo_transport_params &params) {
    const halo_bootstrap &ranks = *params.bootstrap;
    const char here = 1;
    std::vector<char> all(static_cast<size_t>(ranks.n_ranks));
    require(ranks.allgather(ranks.user, &here, sizeof here, all.data()) == HALO_SUCCESS, "allgather");
}

Opened try_open(const halo_transport_plugin &plugin, const halo_transport_params &params) {
    Opened opened;
    const auto take = [](void *self, const char *text) { static_cast<Opened *>(self)->text = text; };
    const halo_host host = { sizeof(halo_host), &opened, take, nullptr, nullptr };
    opened.status = plugin.ops->open(&host, &params, &opened.transport);
    return opened;
}

} // namespace shm_tests

int main(int argc, char **argv) {
    if (!transport_tests::take_module(SHM_MODULE)) return 2;
    testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}
