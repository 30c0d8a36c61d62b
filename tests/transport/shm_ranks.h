// SPDX-License-Identifier: BSD-3-Clause
// Ranks of the shm transport, each a process of its own, for tests that look closer than the suite of all transports.
#pragma once

#include "forked.h"
#include "harness.h"

namespace shm_tests {

using namespace transport_tests;

// Runs the body in `n` processes with an open endpoint each; ranks in `killed` are expected to be ended by SIGKILL.
void run_ranks(int32_t n, const Body &body, const std::vector<int32_t> &killed = {});
// Likewise before anything is opened.
void run_unopened(int32_t n, const RawBody &body, const std::vector<int32_t> &killed = {});

struct Opened {
    halo_status status = HALO_SUCCESS;
    std::string text;
    halo_transport *transport = nullptr;
};
Opened try_open(const halo_transport_plugin &plugin, const halo_transport_params &params);

} // namespace shm_tests
