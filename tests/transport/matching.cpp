// SPDX-License-Identifier: BSD-3-Clause
// Unexpected messages, probing, cancelling, receives that are too small.
#include <algorithm>
#include <random>

#include "harness.h"

namespace transport_tests {
namespace {

const size_t small_and_large[] = { 24, 200000 };

TEST_P(OverRanks, UnexpectedMessagesWaitAndAreFoundByTag) {
    run(GetParam(), [](Rank &r) {
        const int n = 6000 / r.size; // per pair
        std::vector<Bytes> out;
        std::vector<halo_request> sends(r.peers().size() * static_cast<size_t>(n));
        out.reserve(sends.size());
        for (int32_t peer : r.peers()) {
            for (int tag = 0; tag < n; ++tag) {
                out.push_back(payload(r.rank, peer, tag, static_cast<size_t>(tag % 40)));
                r.send(peer, tag, out.back(), sends[out.size() - 1]);
            }
        }
        std::vector<int> order(static_cast<size_t>(n));
        for (int i = 0; i < n; ++i) order[static_cast<size_t>(i)] = i;
        std::mt19937 random(static_cast<unsigned>(r.rank));
        std::shuffle(order.begin(), order.end(), random);
        for (int32_t peer : r.peers()) {
            for (int tag : order) {
                Bytes in(40);
                halo_request request;
                r.receive(peer, tag, in, request);
                size_t bytes = r.wait(request);
                require(bytes == static_cast<size_t>(tag % 40), "tag %d brought %zu bytes", tag, bytes);
                check_payload(in, bytes, peer, r.rank, tag);
            }
        }
        for (halo_request &request : sends) r.wait(request);
    });
}

TEST_P(OverRanks, TooSmallReceiveIsAnErrorAndTheNextOneWorks) {
    run(GetParam(), [](Rank &r) {
        for (size_t size : small_and_large) {
            for (bool posted_first : { true, false }) {
                for (int32_t peer : r.peers()) {
                    Bytes out = payload(r.rank, peer, 1, size);
                    Bytes next = payload(r.rank, peer, 2, 16);
                    Bytes in(size, 0x5a);
                    halo_request sends[2] = {};
                    halo_request receiving{};
                    size_t capacity = size / 2;
                    auto post = [&] {
                        halo_status status = r.ops.receive(r.transport, peer, 0, 4, in.data(), capacity, &receiving);
                        require(status == HALO_SUCCESS, "receive: %s", r.error.c_str());
                    };
                    if (posted_first) post();
                    r.meet(peer);
                    r.send(peer, 4, out, sends[0]);
                    r.send(peer, 4, next, sends[1]);
                    r.meet(peer);
                    if (!posted_first) post();
                    size_t bytes = 0;
                    r.error.clear();
                    halo_status status = r.outcome(receiving, bytes);
                    require(status == HALO_ERR_WIRE, "%zu bytes for %zu: status %d", size, capacity, status);
                    require(bytes == size || bytes == 0, "size given as %zu", bytes);
                    std::string from = "rank " + std::to_string(peer);
                    require(r.error.find(from) != std::string::npos && r.error.find(std::to_string(capacity)) != std::string::npos, "text: %s",
                            r.error.c_str());
                    // Open MPI copies large messages of the same node whole, beyond the end of the receive.
                    bool may_overrun = !world.threads() && std::string(world.plugin->name) == "mpi_openmpi" && size > 4096;
                    for (size_t i = capacity; i < size && !may_overrun; ++i)
                        require(in[i] == 0x5a, "byte %zu behind the receive of %zu was written", i, capacity);
                    Bytes after(16);
                    r.receive(peer, 4, after, receiving);
                    require(r.wait(receiving) == 16, "the next message has a wrong size");
                    check_payload(after, 16, peer, r.rank, 2);
                    for (halo_request &request : sends) r.wait(request);
                }
            }
        }
    });
}

TEST_P(OverRanks, CancelBeforeArrivalLeavesTheMessageToTheNext) {
    run(GetParam(), [](Rank &r) {
        for (size_t size : small_and_large) {
            for (int32_t peer : r.peers()) {
                Bytes given_up(size, 0x11);
                Bytes in(size);
                Bytes out = payload(r.rank, peer, 1, size);
                halo_request receiving;
                halo_request sending;
                r.receive(peer, 2, given_up, receiving);
                int32_t done = -1;
                halo_status status = r.ops.cancel(r.transport, &receiving, &done);
                require(status == HALO_SUCCESS, "cancel: status %d: %s", status, r.error.c_str());
                require(done == 0, "cancel of a receive nobody has sent to says done");
                r.meet(peer);
                r.send(peer, 2, out, sending);
                r.receive(peer, 2, in, receiving);
                require(r.wait(receiving) == size, "wrong size");
                r.wait(sending);
                check_payload(in, size, peer, r.rank, 1);
                require(std::count(given_up.begin(), given_up.end(), 0x11) == static_cast<long>(size), "the cancelled receive's buffer was written");
                r.meet(peer);
            }
        }
    });
}

// Of several receives of one tag the one in the middle goes; the others keep their order.
TEST_P(OverRanks, CancelInTheMiddleKeepsTheOrder) {
    run(GetParam(), [](Rank &r) {
        for (int32_t peer : r.peers()) {
            Bytes in[3] = { Bytes(32), Bytes(32), Bytes(32) };
            Bytes out[2] = { payload(r.rank, peer, 0, 32), payload(r.rank, peer, 1, 32) };
            halo_request receives[3] = {};
            halo_request sends[2] = {};
            for (int i = 0; i < 3; ++i) r.receive(peer, 6, in[i], receives[i]);
            int32_t done = -1;
            halo_status status = r.ops.cancel(r.transport, &receives[1], &done);
            require(status == HALO_SUCCESS && done == 0, "cancel: status %d, done %d: %s", status, done, r.error.c_str());
            r.meet(peer);
            for (int i = 0; i < 2; ++i) r.send(peer, 6, out[i], sends[i]);
            r.wait(receives[0]);
            r.wait(receives[2]);
            check_payload(in[0], 32, peer, r.rank, 0);
            check_payload(in[2], 32, peer, r.rank, 1);
            for (halo_request &request : sends) r.wait(request);
        }
    });
}

// Once a message has come, cancel either reports its arrival or leaves it to the next receive.
TEST_P(OverRanks, CancelAfterArrivalLosesNothing) {
    run(GetParam(), [](Rank &r) {
        for (int32_t peer : r.peers()) {
            Bytes in(24);
            Bytes out = payload(r.rank, peer, 1, 24);
            halo_request receiving;
            halo_request sending;
            r.receive(peer, 2, in, receiving);
            r.send(peer, 2, out, sending);
            r.wait(sending);
            r.meet(peer);
            for (int i = 0; i < 100; ++i) r.ops.progress(r.transport);
            int32_t done = -1;
            halo_status status = r.ops.cancel(r.transport, &receiving, &done);
            require(status == HALO_SUCCESS, "cancel: status %d: %s", status, r.error.c_str());
            require(done == 1 || !world.threads(), "the message was there, but cancel says it was not");
            if (done == 0) {
                r.receive(peer, 2, in, receiving);
                r.wait(receiving);
            }
            check_payload(in, 24, peer, r.rank, 1);
            r.meet(peer);
        }
    });
}

TEST_P(OverRanks, ProbeTakesMessagesOutOneByOne) {
    run(GetParam(), [](Rank &r) {
        for (size_t size : small_and_large) {
            for (int32_t peer : r.peers()) {
                size_t bytes = 0;
                halo_matched messages[2];
                require(!r.probe(peer, 2, bytes, messages[0]), "a message nobody sent was found");
                r.meet(peer);
                Bytes out[2] = { payload(r.rank, peer, 0, size), payload(r.rank, peer, 1, size + 1) };
                halo_request sends[2] = {};
                for (int i = 0; i < 2; ++i) r.send(peer, 2, out[i], sends[i]);
                Bytes in[2];
                for (int i = 0; i < 2; ++i) {
                    r.wait_for_message(peer, 2, bytes, messages[i]);
                    require(bytes == size + static_cast<size_t>(i), "message %d of %zu bytes was found with %zu", i, size, bytes);
                    in[i].resize(bytes);
                }
                halo_matched none;
                require(!r.probe(peer, 2, bytes, none), "a message was found twice");
                require(!r.probe(peer, 3, bytes, none), "a message was found under another tag");
                halo_request receives[2] = {};
                for (int i = 1; i >= 0; --i) r.receive_matched(messages[i], in[i], receives[i]);
                for (int i = 0; i < 2; ++i) {
                    require(r.wait(receives[i]) == in[i].size(), "wrong size");
                    check_payload(in[i], in[i].size(), peer, r.rank, i);
                    r.wait(sends[i]);
                }
                r.meet(peer);
            }
        }
    });
}

TEST_P(OverRanks, TooSmallMatchedReceiveIsAnError) {
    run(GetParam(), [](Rank &r) {
        for (int32_t peer : r.peers()) {
            Bytes out = payload(r.rank, peer, 0, 80);
            halo_request sending;
            halo_request receiving;
            halo_matched message;
            size_t bytes = 0;
            r.send(peer, 2, out, sending);
            r.wait_for_message(peer, 2, bytes, message);
            Bytes in(79);
            r.receive_matched(message, in, receiving);
            halo_status status = r.outcome(receiving, bytes);
            require(status == HALO_ERR_WIRE, "status %d", status);
            r.wait(sending);
        }
    });
}

} // namespace
} // namespace transport_tests
