// SPDX-License-Identifier: BSD-3-Clause
// Endpoints close in any order, with work left, and wait for nobody.
#include "harness.h"

namespace transport_tests {
namespace {

// Every rank closes `closing` and holds it open until the ranks before have closed theirs; told through `other`. If closing waited for
// others, it would wait forever.
void close_in_turn(Rank &closing, Rank &other) {
    Bytes token;
    halo_request request;
    int32_t rank = closing.rank;
    if (rank > 0) {
        other.receive(rank - 1, 1, token, request);
        other.wait(request);
    }
    closing.close();
    if (rank + 1 < closing.size) {
        other.send(rank + 1, 1, token, request);
        other.wait(request);
    }
    other.barrier();
}

// Runs the body with two endpoints per rank and closes the first in turn.
void run_and_close_in_turn(int32_t n_ranks, const Body &body) {
    run_raw(n_ranks, [&body](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank closing(plugin, params);
        Rank other(plugin, params);
        body(closing);
        close_in_turn(closing, other);
    });
}

TEST_P(OverRanks, CloseWaitsForNobody) {
    run_and_close_in_turn(GetParam(), [](Rank &r) { r.barrier(); });
}

TEST_P(OverRanks, CloseGivesUpReceives) {
    run_raw(GetParam(), [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank closing(plugin, params);
        Rank other(plugin, params);
        std::vector<Bytes> in(closing.peers().size() * 2, Bytes(1000, 0x42));
        std::vector<halo_request> requests(in.size());
        for (size_t i = 0; i < in.size(); ++i) closing.receive(closing.peers()[i / 2], static_cast<int32_t>(i % 2), in[i], requests[i]);
        close_in_turn(closing, other);
        for (const Bytes &data : in) require(data == Bytes(1000, 0x42), "a receive that was given up was written to");
    });
}

// Once it has come again a transport may keep what it receives with; it ends like others, by a message that is too long, given up, or with its
// endpoint.
TEST_P(OverRanks, ReceivesThatComeAgainEndLikeOthers) {
    constexpr size_t bytes = 64;
    run_raw(GetParam(), [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank closing(plugin, params);
        Rank other(plugin, params);
        const std::vector<int32_t> peers = closing.peers();
        std::vector<Bytes> in(peers.size(), Bytes(bytes));
        std::vector<halo_request> requests(peers.size());
        for (size_t i = 0; i < peers.size(); ++i) {
            const int32_t peer = peers[i];
            const auto outcome_of = [&](int64_t number, size_t sent, size_t &received) {
                const Bytes out = payload(closing.rank, peer, number, sent);
                halo_request sending;
                closing.receive(peer, 4, in[i], requests[i]);
                closing.meet(peer);
                closing.send(peer, 4, out, sending);
                const halo_status status = closing.outcome(requests[i], received);
                closing.wait(sending);
                return status;
            };
            const auto again = [&](int64_t number) {
                size_t received = 0;
                const halo_status status = outcome_of(number, bytes, received);
                require(status == HALO_SUCCESS && received == bytes, "%lld: status %d, %zu bytes: %s", static_cast<long long>(number), status,
                        received, closing.error.c_str());
                check_payload(in[i], bytes, peer, closing.rank, number);
            };
            for (int64_t number = 0; number < 3; ++number) again(number);
            size_t received = 0;
            const halo_status status = outcome_of(3, bytes + 8, received);
            require(status == HALO_ERR_WIRE, "a longer message: status %d", status);
            for (int64_t number = 4; number < 7; ++number) again(number);
            int32_t done = -1;
            closing.receive(peer, 4, in[i], requests[i]);
            require(closing.ops.cancel(closing.transport, &requests[i], &done) == HALO_SUCCESS && done == 0, "cancel: %s", closing.error.c_str());
            closing.meet(peer);
            for (int64_t number = 7; number < 10; ++number) again(number);
        }
        for (size_t i = 0; i < peers.size(); ++i) closing.receive(peers[i], 4, in[i], requests[i]);
        const std::vector<Bytes> before = in;
        close_in_turn(closing, other);
        require(in == before, "a receive that was given up was written to");
    });
}

// Large messages that nobody receives. MPI may look at their buffers until the process ends.
TEST_P(OverRanks, CloseGivesUpSends) {
    static const Bytes out(300000, 0x17);
    run_raw(GetParam(), [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank closing(plugin, params);
        Rank other(plugin, params);
        std::vector<halo_request> requests(closing.peers().size());
        for (size_t i = 0; i < requests.size(); ++i) closing.send(closing.peers()[i], 1, out, requests[i]);
        close_in_turn(closing, other);
    });
}

// What was sent and completed before the sender closed still comes.
TEST_P(OverRanks, SmallMessagesOutliveTheirSender) {
    run_raw(GetParam(), [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank closing(plugin, params);
        Rank other(plugin, params);
        Bytes out = payload(0, 0, 1, 64);
        halo_request request;
        for (int32_t peer : closing.peers())
            closing.meet(peer); // there are wires that are connected by their first message, while both of their ends wait
        if (closing.rank == 0) {
            for (int32_t peer : closing.peers()) {
                closing.send(peer, 1, out, request);
                closing.wait(request);
            }
            closing.close();
        }
        other.barrier();
        if (closing.transport == nullptr) return;
        Bytes in(64);
        closing.receive(0, 1, in, request);
        require(closing.wait(request) == 64, "wrong size");
        check_payload(in, 64, 0, 0, 1);
    });
}

// One round: a message that is received, and one that is not, sent before or after rank 0 closed its endpoint.
void leave_a_message(Rank &r, Rank &other, int round) {
    int32_t left_tag = 2 + round % 2;
    for (int32_t peer : r.peers()) {
        size_t bytes = 0;
        halo_matched message;
        require(!r.probe(peer, 5 - left_tag, bytes, message), "round %d: a message of an earlier round was found", round);
        Bytes out = payload(r.rank, peer, round, 96);
        Bytes in(96);
        halo_request requests[3] = {};
        r.send(peer, 1, out, requests[0]);
        r.send(peer, left_tag, out, requests[1]);
        r.receive(peer, 1, in, requests[2]);
        for (halo_request &request : requests) r.wait(request);
        check_payload(in, 96, peer, r.rank, round);
    }
    if (r.rank == 0) r.close();
    other.barrier();
    if (r.rank == 0) return;
    Bytes late(80);
    halo_request request{};
    size_t bytes = 0;
    halo_status status = r.ops.send(r.transport, 0, 0, left_tag, late.data(), late.size(), &request);
    if (status == HALO_SUCCESS) status = r.outcome(request, bytes);
    require(status == HALO_SUCCESS || status == HALO_ERR_TRANSPORT, "a send to a rank that has closed: status %d: %s", status, r.error.c_str());
}

TEST_P(OverRanks, LeftoversDoNotReachTheNextEndpoint) {
    run_raw(GetParam(), [](const halo_transport_plugin &plugin, const halo_transport_params &params) {
        Rank other(plugin, params);
        for (int round = 0; round < 12; ++round) {
            Rank r(plugin, params);
            leave_a_message(r, other, round);
        }
    });
}

} // namespace
} // namespace transport_tests
