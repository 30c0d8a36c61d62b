// SPDX-License-Identifier: BSD-3-Clause
// Runs whose dense values travel apart, in memory that the host need not reach: two ends of a stream, and messages that no end would send. Memory of
// the host stands for that of a device here; that the library does not touch it, tests/device/apart.cpp shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "two_ends.h"

namespace halo {

namespace {

constexpr size_t dense_bytes = 5000;
constexpr size_t besides = 24; // in the message

StreamDirection direction() {
    StreamDirection made;
    made.active = true;
    made.payload_bytes = dense_bytes + besides;
    made.n_edges = 1;
    made.digest.add(3);
    return made;
}

class Apart : public TwoEnds {
protected:
    Apart() {
        open([this](size_t rank) {
            StreamSpec spec;
            spec.send = spec.receive = direction();
            spec.payload = [](const std::byte *message) {
                MessageHeader header;
                std::memcpy(&header, message, sizeof header);
                return besides + ((header.flags & flag_apart) != 0 ? 0 : dense_bytes);
            };
            spec.apart = [this, rank] { return std::pair(dense_bytes, to_device_ ? &pool(rank) : nullptr); };
            return spec;
        });
    }
    Pool &pool(size_t rank) { return ranks_.contexts[rank]->pools().pool(HALO_MEMORY_HOST); }
    static std::byte value_of(uint32_t epoch, size_t rank) { return static_cast<std::byte>(2 * epoch + rank); }
    // In the message, or apart, as a device would write it.
    void send(size_t rank, uint32_t epoch, bool apart = true) {
        Stream &from = end(rank);
        ASSERT_TRUE(from.writable());
        std::byte *values = from.send_payload();
        if (apart) {
            const Part &part = from.pack_apart(pool(rank), dense_bytes);
            const PartHeader header = from.header_apart();
            std::memcpy(part.buffer.data(), &header, sizeof header);
            values = part.payload();
            std::fill_n(from.send_payload(), besides, std::byte{ 1 });
        }
        EXPECT_EQ(from.sends_apart(), apart);
        std::fill_n(values, dense_bytes, value_of(epoch, rank));
        from.send(apart ? besides : dense_bytes + besides);
    }
    void expect(size_t rank, uint32_t epoch, bool apart = true) {
        Stream &at = end(rank);
        ASSERT_TRUE(arrives(at));
        ASSERT_EQ(at.came_apart(), apart);
        EXPECT_EQ(at.came_to_device(), apart && to_device_);
        const std::byte *const values = apart ? at.received_part(0) : at.received_payload();
        EXPECT_EQ(std::count(values, values + dense_bytes, value_of(epoch, 1 - rank)), static_cast<std::ptrdiff_t>(dense_bytes)) << "run " << epoch;
        at.consume();
    }
    void run(uint32_t epoch, bool apart = true) {
        post(epoch);
        for (const size_t rank : { 0u, 1u }) send(rank, epoch, apart);
        for (const size_t rank : { 0u, 1u }) expect(rank, epoch, apart);
    }
    // Run 1 has ended well, run 2 is begun, and rank 1's message says that its dense values follow.
    void begin_forged_run(MessageKind kind = MessageKind::data) {
        run(1);
        post(2);
        send(0, 2);
        MessageHeader header = header_of(kind, 2);
        header.flags = flag_apart;
        header.digest = direction().digest.low;
        header.payload_bytes = besides;
        send_by_hand(made_by_hand(&header, sizeof header, besides));
    }
    void send_part(size_t payload_bytes, uint32_t epoch = 2) {
        const PartHeader header{ part_magic, ids_[1].serial(), epoch, 0 };
        send_by_hand(made_by_hand(&header, sizeof header, payload_bytes));
    }

    bool to_device_ = true;
};

TEST_F(Apart, ValuesArriveInTheMemoryThatIsWanted) {
    for (uint32_t epoch = 1; epoch < 5; ++epoch) {
        to_device_ = epoch % 2 == 0;
        run(epoch);
    }
    EXPECT_EQ(end(0).messages_sent, 1 + 4 * 2); // a handshake, then a message and its part
    EXPECT_EQ(end(0).payload_sent, static_cast<int64_t>(4 * (dense_bytes + besides)));
}

// As whoever waits for what is under way does, before a device has packed them.
TEST_F(Apart, WhatIsNotSentYetIsNotTakenForSent) {
    run(1);
    post(2);
    ASSERT_TRUE(end(0).writable());
    end(0).pack_apart(pool(0), dense_bytes);
    EXPECT_TRUE(end(0).all_left());
    EXPECT_TRUE(end(0).sends_apart());
    send(0, 2);
    send(1, 2);
    for (const size_t rank : { 0u, 1u }) expect(rank, 2);
}

// Each run as its sender likes.
TEST_F(Apart, SomeRunsAreAndOthersNot) {
    for (uint32_t epoch = 1; epoch < 9; ++epoch) run(epoch, epoch % 3 != 0);
}

TEST_F(Apart, ValuesComeAfterTheirMessage) {
    begin_forged_run();
    EXPECT_FALSE(arrives(end(0)));
    EXPECT_TRUE(end(0).awaits_parts());
    send_part(dense_bytes);
    EXPECT_TRUE(arrives(end(0)));
}

TEST_F(Apart, MemoryIsKeptUntilTheyHaveLeft) {
    run(1);
    for (const uint32_t epoch : { 2u, 3u }) {
        end(0).post(epoch, {});
        send(0, epoch);
    }
    for (const uint32_t epoch : { 2u, 3u }) {
        end(1).post(epoch, {});
        expect(1, epoch);
    }
}

// Who takes them out goes on using them; what comes next comes elsewhere.
TEST_F(Apart, MemoryThatIsTakenOutIsNotUsedAgain) {
    run(1);
    const std::byte *const values = end(0).received_part(0);
    const Buffer taken = end(0).take_apart();
    run(2);
    EXPECT_EQ(std::count(values, values + dense_bytes, value_of(1, 1)), static_cast<std::ptrdiff_t>(dense_bytes));
    EXPECT_NE(end(0).received_part(0), values);
}

// A device may still write what a run that fails was to send.
TEST_F(Apart, MemoryOfARunThatFailsIsNotUsedAgain) {
    run(1);
    post(2);
    ASSERT_TRUE(end(0).writable());
    const Buffer written = end(0).pack_apart(pool(0), dense_bytes).buffer;
    end(0).send_failure(2, Error(HALO_ERR_DEVICE, "as ordered"));
    end(0).end_failed_run();
    send(1, 2);
    EXPECT_THROW(arrives(end(1)), Error);
    end(1).end_failed_run();
    post(3);
    ASSERT_TRUE(end(0).writable());
    EXPECT_NE(end(0).pack_apart(pool(0), dense_bytes).buffer.data(), written.data());
    send(0, 3);
    send(1, 3);
    for (const size_t rank : { 0u, 1u }) expect(rank, 3);
}

TEST_F(Apart, OfARunThatFailedHereTheyAreDropped) {
    run(1);
    post(2);
    end(0).end_failed_run();
    send(0, 2);
    send(1, 2);
    expect(1, 2);
    run(3);
    EXPECT_EQ(ranks_.context().dropped, 2); // the message and its part
}

// Whether their message had been looked at or not.
TEST_F(Apart, OfAnObjectThatIsGoneTheyAreTaken) {
    begin_forged_run();
    EXPECT_FALSE(arrives(end(0)));
    ends_[0]->abandon();
    ends_[0].reset();
    send_part(dense_bytes);
    ranks_.context().reap();
    EXPECT_EQ(ranks_.context().dropped, 1);
}

TEST_F(Apart, OfAnObjectThatIsGoneTheyAreTakenBehindTheirMessage) {
    run(1);
    post(2);
    send(0, 2);
    ends_[0]->abandon();
    ends_[0].reset();
    send(1, 2);
    ranks_.context().reap();
    EXPECT_EQ(ranks_.context().dropped, 2);
}

TEST_F(Apart, ValuesOfAnotherSizeAreRefused) {
    begin_forged_run();
    send_part(dense_bytes - 8);
    expect_refused({ "exchange under test: run 2", "from rank 1", "in place of that of dense values with 5000 bytes of payload" });
}

TEST_F(Apart, ValuesOfAnotherRunAreRefusedWhereTheHostSeesThem) {
    to_device_ = false;
    begin_forged_run();
    send_part(dense_bytes, 3);
    expect_refused({ "exchange under test: run 2", "run 3, 0 after it" });
}

// It is longer than the dense values might be, or not: the host reads it.
TEST_F(Apart, AFailureMayComeInPlaceOfThem) {
    begin_forged_run();
    send_failure_by_hand(2);
    expect_refused({ "rank 1 has no part in run 2" }, HALO_ERR_PEER);
}

TEST_F(Apart, OnlyDataMayBe) {
    begin_forged_run(MessageKind::terms);
    expect_refused({ "its payload is said to lie elsewhere, which only data may" });
}

// Streams of groups and particles have no such values.
class NotApart : public TwoEnds {};

TEST_F(NotApart, IsRefusedWhereItCannotBe) {
    open([](size_t) {
        StreamSpec spec;
        spec.send = spec.receive = direction();
        return spec;
    });
    post(1);
    ASSERT_TRUE(end(1).writable());
    end(1).pack_apart(ranks_.contexts[1]->pools().pool(HALO_MEMORY_HOST), dense_bytes);
    end(1).send(dense_bytes + besides);
    expect_refused({ "is announced apart, which cannot be" });
}

} // namespace

} // namespace halo
