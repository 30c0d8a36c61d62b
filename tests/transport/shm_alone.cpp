// SPDX-License-Identifier: BSD-3-Clause
// Receivers that need no calls of their senders: these may wait elsewhere.
#include <vector>

#include "shm_ranks.h"

namespace shm_tests {
namespace {

class ShmAlone : public testing::Test {
protected:
    void SetUp() override {
        if (!forked_may_read()) GTEST_SKIP() << "processes may not read each other's memory here";
    }
    ~ShmAlone() override { world.settings.clear(); }
};

constexpr int n_messages = 4000;
size_t size_of(int i) { return i % 40 == 0 ? 20000 + static_cast<size_t>(i) * 100 : i % 3 == 0 ? static_cast<size_t>(i) * 193 % 16384 : 8; }

// However many messages there are, and of whatever sizes.
TEST_F(ShmAlone, ASenderWaitsElsewhere) {
    for (const char *copy : { "auto", "once" }) {
        world.settings["shm.copy"] = copy;
        run_unopened(2, [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
            Rank r(plugin, params);
            std::vector<Bytes> data(n_messages);
            std::vector<halo_request> requests(n_messages);
            for (size_t i = 0; r.rank == 0 && i < n_messages; ++i) {
                data[i] = payload(0, 1, static_cast<int64_t>(i), size_of(static_cast<int>(i)));
                r.send(1, static_cast<int32_t>(i % 3), data[i], requests[i]);
            }
            for (size_t i = 0; r.rank == 1 && i < n_messages; ++i) {
                const size_t bytes = size_of(static_cast<int>(i));
                data[i].resize(bytes);
                r.receive(0, static_cast<int32_t>(i % 3), data[i], requests[i]);
                require(r.wait(requests[i]) == bytes, "message %zu has a wrong size", i);
                check_payload(data[i], bytes, 0, 1, static_cast<int64_t>(i));
            }
            meet_elsewhere(params);
            for (size_t i = 0; r.rank == 0 && i < n_messages; ++i) r.wait(requests[i]);
            r.barrier();
        });
    }
}

// Who is to reach readers alone reaches nobody where one of the two does not want to be read.
TEST_F(ShmAlone, ReadersAreReached) {
    for (const int32_t forbids : { -1, 0, 1 }) {
        run_unopened(2, [forbids](const halo_transport_plugin &plugin, const halo_transport_params &params) {
            if (params.bootstrap->rank == forbids) world.settings["shm.copy"] = "twice";
            halo_transport_params mine = params;
            mine.flags = HALO_OPEN_FOR_READERS;
            const Rank r(plugin, mine);
            const bool is_reached = r.ops.reaches(r.transport, 1 - r.rank) != 0;
            require(is_reached == (forbids < 0), "rank %d reaches %d: %d", r.rank, 1 - r.rank, is_reached ? 1 : 0);
        });
    }
}

// Both say of each other whether messages between them go on in calls of their sender alone.
TEST_F(ShmAlone, WhoMayNotBeReadSendsByCalls) {
    for (const int32_t forbids : { -1, 0, 1 }) {
        run_unopened(2, [forbids](const halo_transport_plugin &plugin, const halo_transport_params &params) {
            if (params.bootstrap->rank == forbids) world.settings["shm.copy"] = "twice";
            const Rank r(plugin, params);
            const bool by_calls = r.ops.sends_by_calls(r.transport, 1 - r.rank) != 0;
            require(by_calls == (forbids >= 0), "rank %d sends to %d by calls: %d", r.rank, 1 - r.rank, by_calls ? 1 : 0);
            require(r.ops.sends_by_calls(r.transport, r.rank) == 0, "rank %d sends to itself by calls", r.rank);
        });
    }
}

} // namespace
} // namespace shm_tests
