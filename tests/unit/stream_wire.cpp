// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>
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

size_t least_payload(MessageKind kind) {
    switch (kind) {
    case MessageKind::handshake: return sizeof(HandshakePayload);
    case MessageKind::failure: return sizeof(FailurePayload);
    case MessageKind::credit: return 0;
    default: return sizeof(WireEdge);
    }
}

TEST(Wire, WhatIsExactIsTaken) {
    EXPECT_EQ(wire_error(header_of(MessageKind::data, 24), 64 + 24, false), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::data, 24), 64 + 24 + 8, true), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::credit, 0), 64, false), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::failure, 5), 64 + 5, false), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::handshake, sizeof(HandshakePayload)), 64 + sizeof(HandshakePayload), false), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::terms, 2000), 64 + 2000, false), nullptr);
    EXPECT_EQ(wire_error(header_of(MessageKind::keys, 2 * sizeof(WireEdge)), 64 + 2 * sizeof(WireEdge), false), nullptr);
    MessageHeader header = header_of(MessageKind::data, 24);
    header.n_states = 65;
    EXPECT_EQ(wire_error(header, 64 + 32 + 24, false), nullptr);
    header.flags = flag_put | flag_reads_shared;
    EXPECT_EQ(wire_error(header, 64 + 32 + 24, false), nullptr);
    header = header_of(MessageKind::data, 0);
    header.flags = flag_get | flag_reads_shared;
    EXPECT_EQ(wire_error(header, 64, false), nullptr);
}

TEST(Wire, EverySizeButOneIsRefused) {
    for (const MessageKind kind :
         { MessageKind::handshake, MessageKind::data, MessageKind::failure, MessageKind::credit, MessageKind::keys, MessageKind::terms })
        for (const bool summed : { false, true }) {
            const size_t payload = least_payload(kind);
            const size_t right = 64 + payload + (summed && kind == MessageKind::data ? 8 : 0);
            for (size_t bytes = 0; bytes < right + 100; ++bytes)
                EXPECT_EQ(wire_error(header_of(kind, payload), bytes, summed) == nullptr, bytes == right) << static_cast<int>(kind) << ": " << bytes;
        }
}

// The sum of sizes is right, modulo 2^64.
TEST(Wire, SizesThatWrapAreRefused) {
    EXPECT_TRUE(refused(header_of(MessageKind::data, ~uint64_t{ 0 } - 15), 64 - 16 + 64, "another size"));
    EXPECT_TRUE(refused(header_of(MessageKind::data, ~uint64_t{ 0 } - 7), 64, "shorter than its states", true));
    EXPECT_TRUE(refused(header_of(MessageKind::failure, ~uint64_t{ 0 }), 64 + sizeof(FailurePayload), "another size"));
    MessageHeader header = header_of(MessageKind::data, 8);
    header.n_states = UINT32_MAX;
    EXPECT_TRUE(refused(header, 64 + 8, "shorter than its states"));
}

TEST(Wire, KindFlagsAndStatusMustAgree) {
    for (const MessageKind kind : { MessageKind::failure, MessageKind::credit, MessageKind::keys }) {
        MessageHeader header = header_of(kind, least_payload(kind));
        const size_t bytes = 64 + least_payload(kind);
        header.epoch = 0;
        EXPECT_EQ(wire_error(header, bytes, false), nullptr);
        header.flags = flag_put;
        EXPECT_TRUE(refused(header, bytes, "which only data may"));
        header.flags = 0;
        header.n_states = 1;
        EXPECT_TRUE(refused(header, bytes, "which only data have"));
    }
    MessageHeader header = header_of(MessageKind::keys, 1000 * sizeof(WireEdge)); // it says that they lie elsewhere
    header.epoch = 0;
    header.flags = flag_get;
    EXPECT_TRUE(refused(header, 64, "which only data may"));
    header = header_of(MessageKind::keys, sizeof(WireEdge));
    header.epoch = 2;
    EXPECT_TRUE(refused(header, 64 + sizeof(WireEdge), "more edges"));
    EXPECT_TRUE(refused(header_of(MessageKind::keys, 40), 64 + 40, "whole edges"));
    header = header_of(MessageKind::data, 8);
    header.flags = flag_put | flag_get;
    EXPECT_TRUE(refused(header, 64, "several places"));
    header.flags = flag_get;
    EXPECT_TRUE(refused(header, 64 + 8, "is all there is"));
    header = header_of(MessageKind::data, 0);
    header.flags = flag_get;
    header.n_states = 1;
    EXPECT_TRUE(refused(header, 64 + 16, "is all there is"));
    header = header_of(MessageKind::data, 8);
    header.flags = flag_put;
    EXPECT_TRUE(refused(header, 64, "another size"));
    header.flags = 1;
    EXPECT_TRUE(refused(header, 64 + 8, "flag that is not known"));
    header = header_of(MessageKind::data, 0);
    header.status = HALO_ERR_MEMORY;
    EXPECT_TRUE(refused(header, 64, "status"));
    header = header_of(MessageKind::failure, 0);
    header.status = HALO_SUCCESS;
    EXPECT_TRUE(refused(header, 64, "status"));
    EXPECT_TRUE(refused(header_of(MessageKind::failure, 0), 64, "shorter than messages of its kind"));
    EXPECT_TRUE(refused(header_of(MessageKind::failure, most_plain_bytes + 1), 64 + most_plain_bytes + 1, "too long"));
    const size_t too_long = sizeof(HandshakePayload) + most_terms_bytes + 1;
    EXPECT_TRUE(refused(header_of(MessageKind::handshake, too_long), 64 + too_long, "too long"));
    EXPECT_TRUE(refused(header_of(static_cast<MessageKind>(7), 0), 64, "kind is not known"));
    header = header_of(MessageKind::credit, 0);
    header.version = 1;
    EXPECT_TRUE(refused(header, 64, "wire version"));
}

TEST(Wire, LayersOfGhostsAreToldApart) {
    constexpr int32_t all = INT32_MAX;
    const WireGhosts::Widths plain[] = { { all, all, all, all, all, all },
                                         { 1, 1, 1, 1, 1, 1 },
                                         { 300, 300, 300, 300, 300, 300 },
                                         { 0, 0, 0, 0, 0, 0 },
                                         { 15, 0, 1, 2, 3, 14 },
                                         { 14, 0, 1, 2, 3, 15 },
                                         { 1, 0, 0, 0, 0, 0 },
                                         { 0, 0, 0, 0, 0, 1 } };
    const WireGhosts::Widths summed[] = { { 16, 0, 0, 0, 0, 0 }, { 0, 16, 0, 0, 0, 0 }, { all, all, all, all, all, 0 }, { 16, 16, 16, 16, 16, 17 } };
    std::set<uint32_t> words;
    for (const WireGhosts::Widths &widths : plain) {
        words.insert(WireGhosts::word_of(widths));
        EXPECT_EQ(WireGhosts::widths_of(WireGhosts::word_of(widths)), widths);
    }
    for (const WireGhosts::Widths &widths : summed) {
        words.insert(WireGhosts::word_of(widths));
        EXPECT_EQ(WireGhosts::widths_of(WireGhosts::word_of(widths)), std::nullopt);
    }
    EXPECT_EQ(words.size(), std::size(plain) + std::size(summed));
    for (const uint32_t word : words) EXPECT_LT(word, 1u << Narrowing::op_shift);
    EXPECT_EQ(WireGhosts::word_of(plain[0]), 0u); // a run of all has a header of zeros
}

TEST(Terms, TheFirstThatDiffersIsNamed) {
    Terms a, b;
    for (Terms *terms : { &a, &b }) terms->add("field u", "2", "components");
    EXPECT_EQ(first_difference(a, 3, b, 5), "");
    a.add("field u", "1", "ghost layers"), b.add("field u", "2", "ghost layers");
    a.add("kind", "ghosts"), b.add("kind", "reverse");
    EXPECT_EQ(first_difference(a, 3, b, 5), "field u: 1 ghost layers on rank 3, 2 on rank 5");
    b.add("field\tv\n", "here");
    EXPECT_EQ(first_difference(Terms(), 3, Terms(b.packed().substr(b.packed().rfind("field"))), 5), "field?v?: none on rank 3, here on rank 5");
    EXPECT_EQ(Terms(a.packed(a.packed().size() - 1)).packed(), a.packed().substr(0, a.packed().find("kind")));
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
