// SPDX-License-Identifier: BSD-3-Clause
// Endpoints close in any order, with work left, and wait for nobody.
#include <chrono>
#include <thread>

#include "harness.h"

namespace transport_tests {
namespace {

using Clock = std::chrono::steady_clock;

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Closes and checks that it took no longer than a wait for a rank that sleeps would have.
void close_at_once(Rank &r) {
    auto start = Clock::now();
    r.close();
    double seconds = seconds_since(start);
    require(seconds < 1.0, "rank %d took %.3f s to close", r.rank, seconds);
}

TEST_P(OverRanks, CloseDoesNotWaitForOthers) {
    run(GetParam(), [](Rank &r) {
        r.barrier();
        if (r.rank == 0) {
            close_at_once(r);
        } else {
            sleep_ms(1500);
            close_at_once(r);
        }
    });
}

TEST_P(OverRanks, CloseGivesUpReceives) {
    run(GetParam(), [](Rank &r) {
        std::vector<Bytes> in(r.peers().size() * 2, Bytes(1000));
        std::vector<halo_request> requests(in.size());
        for (size_t i = 0; i < in.size(); ++i) r.receive(r.peers()[i / 2], static_cast<int32_t>(i), in[i], requests[i]);
        r.barrier();
        if (r.rank % 2 == 1) sleep_ms(1200);
        close_at_once(r);
    });
}

// What was sent and completed before the sender closed still comes.
TEST_P(OverRanks, SmallMessagesOutliveTheirSender) {
    run(GetParam(), [](Rank &r) {
        Bytes out = payload(0, 0, 1, 64);
        if (r.rank == 0) {
            for (int32_t peer : r.peers()) {
                halo_request request;
                r.send(peer, 1, out, request);
                r.wait(request);
            }
            close_at_once(r);
        } else {
            sleep_ms(100);
            Bytes in(64);
            halo_request request;
            r.receive(0, 1, in, request);
            require(r.wait(request) == 64, "wrong size");
            check_payload(in, 64, 0, 0, 1);
        }
    });
}

// Messages left in one round of endpoints never turn up in a later one.
TEST_P(OverRanks, LeftoversDoNotReachTheNextEndpoint) {
    run_raw(GetParam(), [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        for (int round = 0; round < 12; ++round) {
            Rank r(plugin, params);
            for (int32_t peer : r.peers()) {
                size_t bytes = 0;
                halo_matched message;
                require(!r.probe(peer, 2 + (round + 1) % 2, bytes, message), "round %d: a message of an earlier round was found", round);
                Bytes out = payload(r.rank, peer, round, 96);
                Bytes in(96);
                halo_request requests[3] = {};
                r.send(peer, 1, out, requests[0]);
                r.send(peer, 2 + round % 2, out, requests[1]); // nobody receives these
                r.receive(peer, 1, in, requests[2]);
                r.wait(requests[2]);
                check_payload(in, 96, peer, r.rank, round);
                r.wait(requests[0]);
                r.wait(requests[1]);
            }
            r.barrier();
            if (r.rank % 2 == round % 2) sleep_ms(2);
        }
    });
}

} // namespace
} // namespace transport_tests
