// SPDX-License-Identifier: BSD-3-Clause
// What goes on without the caller: messages come into their buffers and leave, and nothing is known of them before he looks.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "stream/stream.h"
#include "two_contexts.h"

namespace halo {

namespace {

constexpr size_t n_bytes = 40000; // more than a transport keeps on its own: the sender is told when they have been taken

StreamSpec spec_of(const RunId &id, int32_t peer, bool probed) {
    StreamSpec spec;
    spec.peer = peer;
    spec.serial = id.serial();
    spec.tag = id.tag();
    spec.send.active = true;
    spec.send.payload_bytes = n_bytes;
    spec.send.n_edges = 1;
    spec.send.digest.add(3);
    spec.receive = spec.send;
    spec.probed = probed;
    spec.what = "exchange under test";
    return spec;
}

class Alone : public testing::TestWithParam<bool> {
protected:
    Alone() {
        for (const size_t rank : { 0u, 1u }) {
            ids_[rank] = ranks_.contexts[rank]->next_run();
            ends_[rank] = std::make_unique<Stream>(*ranks_.contexts[rank], spec_of(ids_[rank], 1 - static_cast<int32_t>(rank), GetParam()));
        }
    }
    Stream &end(size_t rank) { return *ends_[rank]; }
    static std::byte value_of(uint32_t epoch, size_t rank) { return static_cast<std::byte>(2 * epoch + rank); }
    void send(size_t rank, uint32_t epoch) {
        ASSERT_TRUE(end(rank).writable());
        std::fill_n(end(rank).send_payload(), n_bytes, value_of(epoch, rank));
        end(rank).send(n_bytes);
    }
    static bool arrives(Stream &at) {
        for (int look = 0; look < 100 && !at.test(); ++look) {}
        return at.arrived();
    }
    void expect(size_t rank, uint32_t epoch) {
        ASSERT_TRUE(arrives(end(rank)));
        const std::byte *const values = end(rank).received_payload();
        EXPECT_EQ(std::count(values, values + n_bytes, value_of(epoch, 1 - rank)), static_cast<std::ptrdiff_t>(n_bytes)) << "run " << epoch;
        end(rank).consume();
    }
    void post(uint32_t epoch) {
        for (auto &end : ends_) end->post(epoch, {});
    }
    void run(uint32_t epoch) {
        post(epoch);
        for (const size_t rank : { 0u, 1u }) send(rank, epoch);
        for (const size_t rank : { 0u, 1u }) expect(rank, epoch);
    }
    // True: in the end nothing was under way.
    bool comes_to_rest(size_t rank) {
        for (int look = 0; look < 100; ++look)
            if (!end(rank).progress_alone()) return true;
        return false;
    }
    void TearDown() override {
        for (auto &end : ends_) {
            end->abandon();
            end.reset();
        }
        for (RunId &id : ids_) id = {};
    }

    TwoContexts ranks_;
    RunId ids_[2];
    std::unique_ptr<Stream> ends_[2];
};
INSTANTIATE_TEST_SUITE_P(Receive, Alone, testing::Bool(), [](const auto &of) { return of.param ? "Probed" : "Posted"; });

TEST_P(Alone, AMessageIsTakenAndNotLookedAt) {
    run(1);
    run(2);
    post(3);
    send(1, 3);
    EXPECT_FALSE(end(1).all_left());
    const int64_t received = end(0).messages_received;
    EXPECT_TRUE(comes_to_rest(0));
    EXPECT_TRUE(end(1).all_left());
    EXPECT_FALSE(end(0).arrived());
    EXPECT_EQ(end(0).messages_received, received);
    EXPECT_TRUE(comes_to_rest(0)); // once more takes nothing
    expect(0, 3);
    send(0, 3);
    expect(1, 3);
    run(4);
}

TEST_P(Alone, NothingIsTakenBetweenRuns) {
    run(1);
    run(2);
    end(1).post(3, {});
    send(1, 3);
    EXPECT_TRUE(comes_to_rest(0));
    EXPECT_FALSE(end(1).all_left());
    end(0).post(3, {});
    expect(0, 3);
    send(0, 3);
    expect(1, 3);
}

// In the first run: the handshake, and no buffer yet.
TEST_P(Alone, NoMemoryIsTakenForWhatHasComeFirst) {
    post(1);
    send(1, 1);
    const auto figures = [&] { return ranks_.context().pools().figures(HALO_MEMORY_HOST).in_use_bytes; };
    const auto before = figures();
    EXPECT_FALSE(comes_to_rest(0)); // it has been found, and waits
    EXPECT_EQ(figures(), before);
    expect(0, 1);
    send(0, 1);
    expect(1, 1);
    run(2);
}

// Nor to remember one that has been found, where others have found as many as there is room for.
TEST_P(Alone, NoMemoryIsTakenToFindMore) {
    run(1);
    run(2);
    post(3);
    constexpr int32_t first_tag = first_run_tag + 1000;
    Fabric &fabric = ranks_.context().fabric();
    int32_t n_found = 0;
    for (; fabric.has_room_to_find() && n_found < 100; ++n_found) {
        ranks_.send(first_tag + n_found, std::vector<std::byte>(8));
        size_t bytes = 0;
        Matched found{};
        ASSERT_TRUE(fabric.probe(1, 0, first_tag + n_found, bytes, found));
    }
    send(1, 3);
    EXPECT_EQ(comes_to_rest(0), !GetParam());
    EXPECT_EQ(end(1).all_left(), !GetParam());
    EXPECT_FALSE(fabric.has_room_to_find());
    for (int32_t i = 0; i < n_found; ++i) ranks_.drain(first_tag + i);
    EXPECT_TRUE(comes_to_rest(0));
    expect(0, 3);
    send(0, 3);
    expect(1, 3);
}

TEST_P(Alone, OwnMessagesEndWhenTheyHaveLeft) {
    run(1);
    run(2);
    post(3);
    send(0, 3);
    EXPECT_FALSE(comes_to_rest(0));
    expect(1, 3);
    EXPECT_FALSE(comes_to_rest(0)); // what it awaits has not come
    EXPECT_TRUE(end(0).all_left());
    send(1, 3);
    EXPECT_TRUE(comes_to_rest(0));
    expect(0, 3);
}

// Whatever comes alone in between.
TEST_P(Alone, RunsAreTheSame) {
    for (uint32_t epoch = 1; epoch < 8; ++epoch) {
        post(epoch);
        for (const size_t rank : { 1u, 0u }) {
            send(rank, epoch);
            for (const size_t other : { 0u, 1u }) end(other).progress_alone();
        }
        for (const size_t rank : { 0u, 1u }) expect(rank, epoch);
        for (const size_t rank : { 0u, 1u }) end(rank).progress_alone();
    }
    EXPECT_EQ(ranks_.context().dropped, 0);
}

} // namespace

} // namespace halo
