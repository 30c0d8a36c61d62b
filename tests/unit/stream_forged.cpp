// SPDX-License-Identifier: BSD-3-Clause
// Messages that no rank would send: each is refused with a text that names it, and the peer it came from.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "stream/stream.h"
#include "two_contexts.h"

namespace halo {

namespace {

constexpr size_t payload_bytes = 64;

StreamDirection direction(uint32_t n_states) {
    StreamDirection made;
    made.active = true;
    made.payload_bytes = payload_bytes;
    made.n_states = n_states;
    made.n_edges = 1;
    made.digest.add(7);
    return made;
}

std::vector<WireEdge> edges(bool) { return { { { 1, 2, 0, 14, 0 }, payload_bytes, HALO_FLOAT64, 0 } }; }

class Forged : public testing::Test {
protected:
    // A stream that has had the handshake, and what comes next.
    void receive(uint32_t n_states, size_t payload, const std::function<void(MessageHeader &)> &forge, size_t bytes_cut = 0) {
        Stream stream(ranks_.context(), spec(n_states));
        stream.post(1, {});
        const HandshakePayload handshake{ direction(n_states).digest, direction(n_states).digest, {}, {}, {} };
        MessageHeader header = header_of(MessageKind::handshake, sizeof handshake);
        send(header, &handshake, sizeof handshake);
        header = header_of(MessageKind::data, payload);
        header.n_states = n_states;
        forge(header);
        const std::vector<std::byte> behind(payload_offset(n_states) - sizeof header + payload - bytes_cut);
        send(header, behind.data(), behind.size());
        try {
            arrived_ = false;
            for (int look = 0; look < 100 && !arrived_; ++look) arrived_ = stream.test();
        } catch (const Error &error) {
            status_ = error.status();
            text_ = error.text();
        }
        stream.abandon();
    }
    void expect_refused(const std::string &why) const {
        EXPECT_EQ(status_, HALO_ERR_WIRE);
        EXPECT_NE(text_.find(why), std::string::npos) << text_;
        EXPECT_NE(text_.find("rank 1"), std::string::npos) << text_;
    }
    int64_t dropped() const { return ranks_.context().dropped; }
    bool arrived_ = false;
    halo_status status_ = HALO_SUCCESS;
    std::string text_;

private:
    StreamSpec spec(uint32_t n_states) {
        StreamSpec spec;
        spec.peer = 1;
        id_ = ranks_.context().next_run();
        spec.serial = id_.serial();
        spec.tag = id_.tag();
        spec.send = spec.receive = direction(n_states);
        spec.shared = spec.uses_storage = true;
        spec.edges = edges;
        spec.payload = [n_states](const std::byte *message) {
            return n_states == 0 || edge_state(message, 0) == EdgeState::data ? payload_bytes : size_t{ 0 };
        };
        spec.what = "exchange under test";
        return spec;
    }
    MessageHeader header_of(MessageKind kind, size_t bytes) const {
        MessageHeader header{};
        header.magic = message_magic;
        header.version = wire_version;
        header.kind = kind;
        header.serial = id_.serial();
        header.epoch = 1;
        header.digest = direction(0).digest.low;
        header.payload_bytes = bytes;
        return header;
    }
    void send(const MessageHeader &header, const void *behind, size_t bytes) {
        std::vector<std::byte> message(sizeof header + bytes);
        std::memcpy(message.data(), &header, sizeof header);
        if (bytes > 0) std::memcpy(message.data() + sizeof header, behind, bytes);
        ranks_.send(id_.tag(), message);
    }

    TwoContexts ranks_;
    RunId id_;
};

TEST_F(Forged, WhatIsAsItShouldBeArrives) {
    receive(0, payload_bytes, [](MessageHeader &) {});
    EXPECT_TRUE(arrived_) << text_;
    receive(1, 0, [](MessageHeader &) {}); // null
    EXPECT_TRUE(arrived_) << text_;
}

TEST_F(Forged, APayloadShortenedWithItsHeader) {
    receive(0, payload_bytes - 8, [](MessageHeader &) {});
    expect_refused("56 bytes; expected");
}

TEST_F(Forged, APayloadThatItsStatesDoNotTell) {
    receive(1, payload_bytes, [](MessageHeader &) {}); // the state says null
    expect_refused("64 bytes; expected");
}

TEST_F(Forged, APayloadCutOnItsWay) {
    receive(
        0, payload_bytes, [](MessageHeader &) {}, 8);
    expect_refused("its header tells another size");
}

TEST_F(Forged, DataOfAnotherPlan) {
    receive(0, payload_bytes, [](MessageHeader &header) { ++header.digest; });
    expect_refused("expected");
}

TEST_F(Forged, DataOfAnEarlierObjectAreDropped) {
    receive(0, payload_bytes, [](MessageHeader &header) { --header.serial; });
    EXPECT_FALSE(arrived_);
    EXPECT_EQ(status_, HALO_SUCCESS) << text_;
    EXPECT_EQ(dropped(), 1);
}

TEST_F(Forged, KeysThatLieElsewhere) {
    receive(0, 0, [](MessageHeader &header) {
        header.kind = MessageKind::keys;
        header.epoch = 0; // edges that are sent
        header.payload_bytes = 1000 * sizeof(WireEdge);
        header.flags = flag_put;
    });
    expect_refused("which only data may");
}

TEST_F(Forged, DataInStorageThatNobodyHasOffered) {
    receive(0, 0, [](MessageHeader &header) {
        header.payload_bytes = 0;
        header.flags = flag_put;
    });
    expect_refused("announced in this rank's storage, but not there");
    receive(0, 0, [](MessageHeader &header) {
        header.payload_bytes = 0;
        header.flags = flag_get;
    });
    expect_refused("of which it has not told");
}

// A text that says who keeps this rank from sending is made after that has been asked: it may not ask again, and find nobody.
TEST(Waiting, WhoIsWaitedForIsKnownUntilAskedAgain) {
    const TwoContexts ranks;
    const RunId id = ranks.context().next_run();
    StreamSpec spec;
    spec.peer = 1;
    spec.serial = id.serial();
    spec.tag = id.tag();
    spec.send = direction(0);
    spec.edges = edges;
    Stream stream(ranks.context(), spec);
    stream.post(3, {});
    EXPECT_FALSE(stream.writable());
    EXPECT_TRUE(stream.blocked());
    MessageHeader credit{};
    credit.magic = message_magic;
    credit.version = wire_version;
    credit.kind = MessageKind::credit;
    credit.serial = id.serial();
    credit.epoch = 1;
    std::vector<std::byte> message(sizeof credit);
    std::memcpy(message.data(), &credit, sizeof credit);
    ranks.send(id.tag(), message);
    EXPECT_TRUE(stream.blocked());
    EXPECT_TRUE(stream.writable());
    EXPECT_FALSE(stream.blocked());
    stream.abandon();
}

TEST_F(Forged, AKindThatIsNotKnown) {
    receive(0, 0, [](MessageHeader &header) { header.kind = static_cast<MessageKind>(9); });
    expect_refused("its kind is not known");
}

} // namespace

} // namespace halo
