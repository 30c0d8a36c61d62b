// SPDX-License-Identifier: BSD-3-Clause
// What a receiver makes of messages that are not as they should be.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "../unit/expect_failure.h"
#include "unit_pair.h"

namespace {

using namespace halo;
using namespace test;

// A message put together by hand, sent to the receiver's end.
class Forger {
public:
    Forger(Pair &pair, const Ends &ends) : pair_(pair), ends_(ends) {
        header = { mail_magic, mail_version, static_cast<uint8_t>(MailKind::data), 7, 1, mail_seal(ends.receiver.key_hash(), 8) };
    }
    // `damaged_bit`: of the payload, changed after the header was made; -1: none.
    void send(size_t payload = 8, int damaged_bit = -1) {
        bytes_.assign(sizeof header + payload, std::byte{ 42 });
        std::byte *data = bytes_.data() + sizeof header;
        if (pair_.context(0).check_mode()) header.seal ^= static_cast<uint32_t>(checksum(data, payload));
        std::memcpy(bytes_.data(), &header, sizeof header);
        if (damaged_bit >= 0) data[damaged_bit / 8] ^= static_cast<std::byte>(1u << damaged_bit % 8);
        send_raw(bytes_.size());
    }
    void send_raw(size_t bytes) {
        bytes_.resize(std::max(bytes_.size(), bytes));
        const MailAddress &address = ends_.address;
        Request request{};
        pair_.context(0).fabric().send(1, address.tag.lane, address.tag.tag + (address.bare ? 1 : 0), bytes_.data(), bytes, request);
        while (!pair_.context(0).fabric().test(request, 1)) pair_.context(1).fabric().progress();
    }
    MailHeader header;

private:
    Pair &pair_;
    const Ends &ends_;
    std::vector<std::byte> bytes_;
};

bool received(Mailbox &box) {
    for (int turn = 0; turn < 1000; ++turn)
        if (box.try_receive()) return true;
    return false;
}

class Wire : public testing::TestWithParam<bool> {
protected:
    Pair pair;
    Ends ends{ pair, 8, GetParam() };
    Forger forger{ pair, ends };

    void expect_wire_error(std::initializer_list<const char *> parts) {
        expect_failure(HALO_ERR_WIRE, parts, [&] { received(ends.receiver); });
        EXPECT_EQ(ends.receiver.state(), HALO_STALE);
    }
    // A good message is still taken.
    void expect_works() {
        Forger good(pair, ends);
        good.send();
        ASSERT_TRUE(received(ends.receiver));
        EXPECT_EQ(ends.receiver.state(), HALO_RECEIVED);
        EXPECT_EQ(ends.receiver.data()[7], std::byte{ 42 });
    }
};

TEST_P(Wire, GoodMessage) { expect_works(); }

TEST_P(Wire, Magic) {
    forger.header.magic ^= 1;
    forger.send();
    expect_wire_error({ "no channel header", "3 -> 7, field 2, element 14", "from rank 0 to rank 1" });
    expect_works();
}

TEST_P(Wire, Version) {
    forger.header.version = 9;
    forger.send();
    expect_wire_error({ "no channel header of version 1" });
    expect_works();
}

TEST_P(Wire, TooShort) {
    forger.send_raw(5);
    expect_wire_error({ "a message of 5 bytes", "3 -> 7" });
    expect_works();
}

TEST_P(Wire, NothingAtAll) {
    forger.send_raw(0);
    expect_wire_error({ "a message of 0 bytes", "3 -> 7" });
    expect_works();
}

TEST_P(Wire, TooLong) {
    forger.send(9);
    expect_failure(HALO_ERR_WIRE, { GetParam() ? "a message of 25 bytes" : "rank 0" }, [&] { received(ends.receiver); });
    EXPECT_EQ(ends.receiver.state(), HALO_STALE);
}

TEST_P(Wire, Kind) {
    forger.header.kind = 77;
    forger.send();
    expect_wire_error({ "kind 77", "3 -> 7" });
    expect_works();
}

TEST_P(Wire, KeyHash) {
    forger.header.seal = mail_seal(ends.receiver.key_hash() ^ 1, 8);
    forger.send();
    expect_wire_error({ "another channel", "3 -> 7" });
    expect_works();
}

TEST_P(Wire, PayloadBytes) {
    forger.header.seal = mail_seal(ends.receiver.key_hash(), 4);
    forger.send();
    expect_wire_error({ "8 bytes of payload", "was cut" });
    expect_works();
}

TEST_P(Wire, EpochGap) {
    forger.header.epoch = 3;
    forger.send();
    expect_wire_error({ "epoch 3 came", "epoch 1 was expected", "3 -> 7" });
    expect_works();
}

TEST_P(Wire, LateMessageOfAnEarlierGroup) {
    forger.header.serial = 6;
    forger.send();
    forger.header.kind = static_cast<uint8_t>(MailKind::null);
    forger.header.seal = mail_seal(ends.receiver.key_hash(), 0);
    forger.send(0);
    EXPECT_FALSE(received(ends.receiver));
    EXPECT_EQ(pair.context(1).dropped, 2);
    expect_works();
}

TEST_P(Wire, NullMessage) {
    forger.header.kind = static_cast<uint8_t>(MailKind::null);
    forger.header.seal = mail_seal(ends.receiver.key_hash(), 0);
    forger.send(0);
    ASSERT_TRUE(received(ends.receiver));
    EXPECT_EQ(ends.receiver.state(), HALO_RECEIVED_NULL);
    EXPECT_EQ(ends.receiver.data() == nullptr, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Sparse, Wire, testing::Bool(), testing::PrintToStringParamName());

// The sender's own epochs go on when a receiver is opened anew by mistake: both numbers are named.
TEST(Epochs, AreNamedWhenTheEndsAreApart) {
    Pair pair;
    Ends ends(pair, 8, false);
    for (int epoch = 0; epoch < 2; ++epoch) {
        ASSERT_TRUE(ends.sender.allocate());
        ASSERT_TRUE(ends.sender.send());
        ASSERT_TRUE(received(ends.receiver));
        ends.receiver.stale();
        ASSERT_TRUE(ends.sender.writable());
    }
    ends.receiver.close();
    ends.receiver.open(ends.address);
    ASSERT_TRUE(ends.sender.send());
    expect_failure(HALO_ERR_WIRE, { "epoch 3 came", "epoch 1 was expected" }, [&] { received(ends.receiver); });
}

// Without a place for a header the payload travels alone, and nothing means null.
TEST(Bare, DataAndNull) {
    Pair pair;
    std::vector<unsigned char> from(8, 1);
    std::vector<unsigned char> into(8, 0);
    MailAddress address{ 7, pair.context(0).channel_tags().tag(2), true };
    MailboxSpec spec = Ends::spec(8, false);
    spec.memory = { HALO_BUFFER_CALLER, from.data(), nullptr };
    Mailbox sender(pair.room(0), spec);
    spec.memory.memory = into.data();
    Mailbox receiver(pair.room(1), spec);
    sender.open(address);
    receiver.open(address);
    ASSERT_TRUE(sender.send());
    ASSERT_TRUE(received(receiver));
    EXPECT_EQ(receiver.state(), HALO_RECEIVED);
    EXPECT_EQ(into, from);
    receiver.stale();
    ASSERT_TRUE(sender.send_null());
    ASSERT_TRUE(received(receiver));
    EXPECT_EQ(receiver.state(), HALO_RECEIVED_NULL);
}

// A committed channel knows what its sender has: all of that comes, or null, however well a shorter message agrees with itself.
TEST(Exact, NoOtherSizeIsTaken) {
    for (const bool sparse : { false, true }) {
        Pair pair;
        Ends ends(pair, 8, sparse);
        MailAddress address = ends.address;
        address.bytes = 6;
        ends.receiver.open(address);
        const auto send = [&](MailKind kind, uint32_t epoch, size_t payload) {
            Forger forger(pair, ends);
            forger.header.kind = static_cast<uint8_t>(kind);
            forger.header.epoch = epoch;
            forger.header.seal = mail_seal(ends.receiver.key_hash(), payload);
            forger.send(payload);
        };
        for (const size_t wrong : { 0u, 4u, 7u, 8u }) {
            send(MailKind::data, 1, wrong);
            expect_failure(HALO_ERR_WIRE, { "bytes of payload came, 6 are sent", "3 -> 7", "epoch 1" }, [&] { received(ends.receiver); });
            EXPECT_EQ(ends.receiver.state(), HALO_STALE);
        }
        send(MailKind::null, 1, 6);
        expect_failure(HALO_ERR_WIRE, { "6 bytes of payload came, 0 are sent" }, [&] { received(ends.receiver); });
        uint32_t epoch = 1;
        for (const MailKind kind : { MailKind::data, MailKind::null, MailKind::data }) {
            send(kind, epoch++, kind == MailKind::data ? 6 : 0);
            ASSERT_TRUE(received(ends.receiver));
            EXPECT_EQ(ends.receiver.state(), kind == MailKind::data ? HALO_RECEIVED : HALO_RECEIVED_NULL);
            EXPECT_EQ(ends.receiver.data_bytes(), kind == MailKind::data ? 6 : 8);
            ends.receiver.stale();
        }
    }
}

TEST(Exact, NoOtherSizeIsTakenBare) {
    for (const bool sparse : { false, true }) {
        Pair pair;
        Ends ends(pair, 8, sparse, true);
        MailAddress address = ends.address;
        address.bytes = 6;
        ends.receiver.open(address);
        Forger forger(pair, ends);
        for (const size_t wrong : { 4u, 8u }) {
            forger.send_raw(wrong);
            expect_failure(HALO_ERR_WIRE, { "bytes of payload came, 6 are sent", "3 -> 7" }, [&] { received(ends.receiver); });
            EXPECT_EQ(ends.receiver.state(), HALO_STALE);
        }
        forger.send_raw(6);
        ASSERT_TRUE(received(ends.receiver));
        EXPECT_EQ(ends.receiver.state(), HALO_RECEIVED);
    }
}

// While a sparse receiver finds no memory for what has come, the message waits.
TEST(Sparse, MessageWaitsForMemory) {
    struct Scarce {
        bool empty = true;
        alignas(64) std::byte block[256];
    } scarce;
    halo_channel_allocator allocator = HALO_CHANNEL_ALLOCATOR_INIT;
    allocator.user = &scarce;
    allocator.allocate = [](void *user, const halo_channel_key *, size_t) -> void * {
        auto *own = static_cast<Scarce *>(user);
        return own->empty ? nullptr : own->block;
    };
    allocator.release = [](void *, const halo_channel_key *, void *, size_t) {};
    Pair pair;
    Ends ends(pair, 8, true);
    MailboxSpec spec = Ends::spec(8, true);
    spec.memory = { HALO_BUFFER_ALLOCATOR, nullptr, &allocator };
    Mailbox receiver(pair.room(1), spec);
    receiver.open(ends.address);
    Forger(pair, ends).send();
    for (int turn = 0; turn < 3; ++turn) expect_failure(HALO_ERR_MEMORY, { "allocator" }, [&] { received(receiver); });
    EXPECT_TRUE(receiver.busy());
    scarce.empty = false;
    ASSERT_TRUE(received(receiver));
    EXPECT_EQ(receiver.data()[0], std::byte{ 42 });
}

// What was received and given back is poisoned, so that reading it shows.
TEST(CheckMode, PoisonsWhatIsStale) {
    Pair pair(true);
    Ends ends(pair, 8, false);
    Forger(pair, ends).send();
    ASSERT_TRUE(received(ends.receiver));
    ends.receiver.stale();
    EXPECT_EQ(ends.receiver.data()[0], std::byte{ 0xff });
}

TEST(CheckMode, NoticesEachChangedBit) {
    for (const bool sparse : { false, true })
        for (int bit = 0; bit < 64; ++bit) {
            Pair pair(true);
            Ends ends(pair, 8, sparse);
            Forger forger(pair, ends);
            forger.send(8, bit);
            expect_failure(HALO_ERR_CHECK, { "8 bytes of payload", "changed on its way", "3 -> 7", "from rank 0 to rank 1", "epoch 1" },
                           [&] { received(ends.receiver); });
            EXPECT_EQ(ends.receiver.state(), HALO_STALE);
        }
}

TEST(CheckMode, NoticesWritesWhileSending) {
    for (const bool local : { true, false }) {
        Pair pair(true);
        MailboxSpec spec = Ends::spec(8, false);
        spec.receive_rank = local ? 0 : 1;
        Mailbox box(pair.room(0), spec);
        box.open({ 7, pair.context(0).channel_tags().tag(3), false });
        ASSERT_TRUE(box.allocate());
        std::memset(box.data(), 0, 8);
        ASSERT_TRUE(box.send());
        box.data()[3] = std::byte{ 9 };
        expect_failure(HALO_ERR_CHECK, { "written in the state sending", "3 -> 7" }, [&] { local ? received(box) : box.writable(); });
        EXPECT_EQ(box.state(), local ? HALO_SENDING : HALO_STALE);
    }
}

} // namespace
