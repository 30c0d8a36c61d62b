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

// Waits for the others without the transport.
void meet_elsewhere(const halo_transport_params &params);

inline std::string name_of(const testing::TestParamInfo<const char *> &info) { return info.param; }

// How messages are copied: the setting shm.copy, of the ranks that the test makes.
class Copies : public testing::TestWithParam<const char *> {
protected:
    Copies() { world.settings["shm.copy"] = GetParam(); }
    ~Copies() override { world.settings.clear(); }
};
class CopiedOnce : public testing::Test {
protected:
    CopiedOnce() { world.settings["shm.copy"] = "once"; }
    ~CopiedOnce() override { world.settings.clear(); }
};
class CopiedTwice : public testing::Test {
protected:
    CopiedTwice() { world.settings["shm.copy"] = "twice"; }
    ~CopiedTwice() override { world.settings.clear(); }
};

struct Opened {
    halo_status status = HALO_SUCCESS;
    std::string text;
    halo_transport *transport = nullptr;
};
Opened try_open(const halo_transport_plugin &plugin, const halo_transport_params &params);

} // namespace shm_tests
