// SPDX-License-Identifier: BSD-3-Clause
// Endpoints are made to those alone that a rank speaks with: the module's own source, with ucp_ep_create counted on its way to UCX.
#include <cstdio>
#include <functional>

#include "forked.h"
#include "harness.h"
#include "ucx/library.h"

extern "C" const halo_transport_plugin halo_transport_plugin_v1; // of the module

namespace transport_tests {
namespace {

constexpr int32_t n_ranks = 7;

int n_made = 0;
decltype(halo::ucx::Functions::ep_create) make_endpoint = nullptr;

ucs_status_t count_endpoint(ucp_worker_h worker, const ucp_ep_params_t *params, ucp_ep_h *endpoint) {
    ++n_made;
    return make_endpoint(worker, params, endpoint);
}

void count_endpoints() {
    char text[2048] = "";
    require(halo_transport_plugin_v1.query(nullptr, text, sizeof text) > 0, "%s", text);
    make_endpoint = halo::ucx::ucp.ep_create;
    halo::ucx::ucp.ep_create = count_endpoint;
}

// Opens on all ranks, lets each meet those of its peers, and expects one endpoint to each of them, and none before.
void expect_endpoints(const std::function<bool(int32_t rank, int32_t peer)> &is_peer) {
    const auto body = [&](const halo_bootstrap &bootstrap) {
        try {
            count_endpoints();
            Rank r(halo_transport_plugin_v1, { sizeof(halo_transport_params), nullptr, 0, nullptr, -1, 0, &bootstrap });
            require(n_made == 0, "%d endpoints were made by opening", n_made);
            int n_peers = 0;
            for (int round = 0; round < 10; ++round) {
                n_peers = 0;
                for (const int32_t peer : r.peers()) {
                    if (!is_peer(r.rank, peer)) continue;
                    r.meet(peer);
                    ++n_peers;
                }
            }
            require(n_made == n_peers, "%d endpoints for %d peers", n_made, n_peers);
            r.close();
            require(n_made == n_peers, "%d endpoints for %d peers when it had closed", n_made, n_peers);
            return 0;
        } catch (const Stop &stop) {
            std::fprintf(stderr, "rank %d: %s\n", bootstrap.rank, stop.text.c_str());
            return 1;
        }
    };
    for (const int status : run_forked(n_ranks, body)) EXPECT_EQ(failure_of(status), "");
}

TEST(UcxEndpoints, OnARingThereAreTwo) {
    expect_endpoints([](int32_t rank, int32_t peer) { return (rank + 1) % n_ranks == peer || (peer + 1) % n_ranks == rank; });
}
TEST(UcxEndpoints, BetweenAllThereAreAllOthers) {
    expect_endpoints([](int32_t, int32_t) { return true; });
}

} // namespace
} // namespace transport_tests
