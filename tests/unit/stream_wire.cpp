// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "stream/handshake.h"
#include "stream/wire.h"

namespace halo {

namespace {

MessageHeader header_of(MessageKind kind, uint64_t payload_bytes) {
    MessageHeader header{};
    header.magic = message_magic;
    header.version = wire_version;
    header.kind = kind;
    header.epoch = 1;
    header.payload_bytes = payload_bytes;
    header.status = kind == MessageKind::failure ? HALO_ERR_MEMORY : HALO_SUCCESS;
    return header;
}

bool refused(const MessageHeader &header, size_t bytes, const std::string &why, bool summed = false) {
    const char *error = wire_error(header, bytes, summed);
    return error && std::string(error).find(why) != std::string::npos;
}

TEST(Wire, WhatIsExactIsTaken) {
    EXPECT_EQ(wire_error(header_of(MessageKind::data, 24), 64 + 24, false), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::data, 24), 64 + 24 + 8, true), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::credit, 0), 64, false), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::failure, 5), 64 + 5, false), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::handshake, sizeof(HandshakePayload)), 64 + sizeof(HandshakePayload), false), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::keys, 2 * sizeof(WireEdge)), 64 + 2 * sizeof(WireEdge), false), nullptr);
    MessageHeader header = header_of(MessageKind::data, 24);
    header.n_states = 65;
    EXPECT_EQ(wire_error(header, 64 + 32 + 24, false), nullptr);
    header = header_of(MessageKind::data, 24);
    header.flags = flag_landed | flag_reads_shared;
    EXPECT_EQ(wire_error(header, 64, false), nullptr);
}

TEST(Wire, EverySizeButOneIsRefused) {
    for (const MessageKind kind : { MessageKind::handshake, MessageKind::data, MessageKind::failure, MessageKind::credit, MessageKind::keys })
        for (const bool summed : { false, true }) {
            const size_t payload = kind == MessageKind::handshake ? sizeof(HandshakePayload) : kind == MessageKind::credit ? 0 : sizeof(WireEdge);
            const size_t right = 64 + payload + (summed && kind == MessageKind::data ? 8 : 0);
            for (size_t bytes = 0; bytes < right + 100; ++bytes)
                EXPECT_EQ(wire_error(header_of(kind, payload), bytes, summed) == nullptr, bytes == right) << static_cast<int>(kind) << ": " << bytes;
        }
}

// The sum of sizes is right, modulo 2^64.
TEST(Wire, SizesThatWrapAreRefused) {
    EXPECT_TRUE(refused(header_of(MessageKind::data, ~uint64_t{ 0 } - 15), 64 - 16 + 64, "another size"));
    EXPECT_TRUE(refused(header_of(MessageKind::data, ~uint64_t{ 0 } - 7), 64, "shorter than its states", true));
    EXPECT_TRUE(refused(header_of(MessageKind::failure, ~uint64_t{ 0 }), 64, "another size"));
    MessageHeader header = header_of(MessageKind::data, 8);
    header.n_states = UINT32_MAX;
    EXPECT_TRUE(refused(header, 64 + 8, "shorter than its states"));
}

TEST(Wire, KindFlagsAndStatusMustAgree) {
    for (const MessageKind kind : { MessageKind::failure, MessageKind::credit, MessageKind::keys }) {
        MessageHeader header = header_of(kind, 0);
        header.epoch = 0;
        EXPECT_EQ(wire_error(header, 64, false), nullptr);
        header.flags = flag_landed;
        EXPECT_TRUE(refused(header, 64, "which only data may"));
        header.flags = 0;
        header.n_states = 1;
        EXPECT_TRUE(refused(header, 64, "which only data have"));
    }
    MessageHeader header = header_of(MessageKind::keys, 1000 * sizeof(WireEdge)); // it says that they lie elsewhere
    header.epoch = 0;
    header.flags = flag_lent;
    EXPECT_TRUE(refused(header, 64, "which only data may"));
    header = header_of(MessageKind::keys, sizeof(WireEdge));
    header.epoch = 2;
    EXPECT_TRUE(refused(header, 64 + sizeof(WireEdge), "more edges"));
    EXPECT_TRUE(refused(header_of(MessageKind::keys, 40), 64 + 40, "whole edges"));
    header = header_of(MessageKind::data, 8);
    header.flags = flag_landed | flag_lent;
    EXPECT_TRUE(refused(header, 64, "several places"));
    header.flags = flag_landed;
    header.n_states = 1;
    EXPECT_TRUE(refused(header, 64 + 16, "sparse data"));
    header.flags = 1;
    EXPECT_TRUE(refused(header, 64 + 8, "flag that is not known"));
    header = header_of(MessageKind::data, 0);
    header.status = HALO_ERR_MEMORY;
    EXPECT_TRUE(refused(header, 64, "status"));
    header = header_of(MessageKind::failure, 0);
    header.status = HALO_SUCCESS;
    EXPECT_TRUE(refused(header, 64, "status"));
    EXPECT_TRUE(refused(header_of(MessageKind::failure, most_failure_bytes + 1), 64 + most_failure_bytes + 1, "too long"));
    EXPECT_TRUE(refused(header_of(static_cast<MessageKind>(6), 0), 64, "kind is not known"));
    header = header_of(MessageKind::credit, 0);
    header.version = 1;
    EXPECT_TRUE(refused(header, 64, "wire version"));
}

TEST(Wire, BothRanksNameTheSameDifference) {
    const WireEdge a{ { 1, 2, 0, 14, 0 }, 8, HALO_FLOAT64, 0 }, b{ { 1, 3, 0, 14, 0 }, 8, HALO_FLOAT64, 0 };
    const WireEdges low{ { a, b }, {} }, high{ {}, { a } };
    EXPECT_EQ(difference(low, 0, high, 1), difference(high, 1, low, 0));
    EXPECT_NE(difference(low, 0, high, 1).find("1 -> 3"), std::string::npos);
    const WireEdges again = WireEdges::split(low.joined(), 1);
    EXPECT_EQ(again.sending.size(), 1u);
    EXPECT_EQ(again.receiving.size(), 1u);
}

} // namespace

} // namespace halo
