// SPDX-License-Identifier: BSD-3-Clause
#include "run_messages.h"

#include <cstring>

namespace fuzz {

using namespace halo;

namespace {

// A true offer, or one of which some fields are the input's.
SharedOffer offer_of(const SharedBlock &block, Input &input) {
    SharedOffer offer = block.offer();
    const unsigned damaged = input.byte();
    if (damaged & 1u) offer.nonce = input.value<uint64_t>();
    if (damaged & 2u) offer.host = input.value<uint64_t>();
    if (damaged & 4u) offer.file = input.value<uint8_t>();
    if (damaged & 8u) offer.file_bytes = input.value<uint64_t>();
    if (damaged & 16u) offer.offset = input.value<uint64_t>();
    if (damaged & 32u) offer.bytes = input.value<uint64_t>();
    if (damaged & 64u) offer.word = input.value<uint64_t>();
    return damaged & 128u ? SharedOffer{} : offer;
}

} // namespace

std::vector<std::byte> RunMessages::next(Input &input) const {
    constexpr size_t most_bytes = 400;
    std::vector<std::byte> message;
    switch (input.byte() % 4) {
    case 0: message = handshake(input); break;
    case 1: message = data(input); break;
    case 2: message = part(input); break;
    default: message = any_message(input); break;
    }
    if (message.size() > most_bytes) message.resize(most_bytes);
    return message;
}

MessageHeader RunMessages::header_of(MessageKind kind) const {
    MessageHeader header{};
    header.magic = message_magic;
    header.version = wire_version;
    header.kind = kind;
    header.serial = serial_;
    header.epoch = 1;
    header.digest = inward_.digest.low;
    return header;
}

// Bits of the first byte put right what a random message would hardly ever have.
std::vector<std::byte> RunMessages::any_message(Input &input) const {
    const unsigned right = input.byte();
    std::vector<std::byte> message = input.bytes(static_cast<size_t>(input.byte()) * 2);
    MessageHeader header;
    if ((right & 1u) == 0 || message.size() < sizeof header) return message;
    std::memcpy(&header, message.data(), sizeof header);
    header.magic = message_magic;
    header.version = wire_version;
    if (right & 2u) header.serial = serial_;
    if (right & 4u) header.kind = static_cast<MessageKind>(1 + static_cast<unsigned>(header.kind) % 5);
    if (right & 8u) header.n_states = inward_.n_states;
    if (right & 16u) header.epoch = 1 + header.epoch % 2;
    if (right & 32u) header.digest = inward_.digest.low;
    const size_t front = header.kind == MessageKind::data ? payload_offset(header.n_states) : sizeof header;
    if (right & 64u && message.size() >= front) header.payload_bytes = message.size() - front;
    if (right & 128u) header.narrowing = {};
    std::memcpy(message.data(), &header, sizeof header);
    return message;
}

std::vector<std::byte> RunMessages::handshake(Input &input) const {
    MessageHeader header = header_of(MessageKind::handshake);
    header.payload_bytes = sizeof(HandshakePayload);
    HandshakePayload payload{ inward_.digest, outward_, {}, {}, {} };
    payload.slots = offer_of(memory_.slots, input);
    payload.notice = offer_of(memory_.notice, input);
    return joined(header, { reinterpret_cast<const std::byte *>(&payload), reinterpret_cast<const std::byte *>(&payload + 1) });
}

// Data that may be taken, or lie where the flags say.
std::vector<std::byte> RunMessages::data(Input &input) const {
    MessageHeader header = header_of(MessageKind::data);
    header.epoch = 1 + input.byte() % 2;
    header.flags = input.byte();
    header.flags &= static_cast<uint16_t>(~flag_lasts);
    const bool lent = (header.flags & flag_get) != 0;
    header.n_states = lent ? 0 : inward_.n_states;
    header.payload_bytes = lent ? 0 : inward_.payload_bytes / (1 + input.byte() % 2);
    const bool whole = (input.byte() & 1u) != 0;
    std::vector<std::byte> behind = input.bytes(input.byte() % 96);
    if (whole) behind.resize(payload_offset(header.n_states) - sizeof header + header.payload_bytes);
    return joined(header, behind);
}

// Right but for the bits of the first byte.
std::vector<std::byte> RunMessages::part(Input &input) const {
    constexpr unsigned step = 8;
    const unsigned damaged = input.byte();
    PartHeader header{ part_magic, serial_, 1u + (damaged & 1u), input.byte() % 5u };
    if (damaged & 2u) header.serial = input.value<uint32_t>();
    if (damaged & 4u) header.epoch = input.value<uint32_t>();
    if (damaged & 8u) header.n_after = input.value<uint32_t>();
    std::vector<std::byte> message(sizeof header + (damaged & 16u ? input.byte() % 64u : input.byte() % 5u * step));
    std::memcpy(message.data(), &header, sizeof header);
    if (damaged & 32u) message.resize(input.byte() % (message.size() + 1));
    return message;
}

} // namespace fuzz
