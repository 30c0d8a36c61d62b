// SPDX-License-Identifier: BSD-3-Clause
#include "stream/wire.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "stream/handshake.h"

namespace halo {

namespace {

constexpr unsigned four_with_data = 0x55;
constexpr unsigned last_with_data(uint32_t n) { return four_with_data >> (8 - n % 4 * 2); }

} // namespace

void set_all_data(std::byte *message, uint32_t n) {
    std::byte *const states = message + sizeof(MessageHeader);
    std::memset(states, four_with_data, n / 4);
    if (n % 4 != 0) states[n / 4] = static_cast<std::byte>(last_with_data(n));
}

bool are_all_data(const std::byte *message, uint32_t n) {
    const std::byte *const states = message + sizeof(MessageHeader), *const end = states + n / 4;
    const auto differs = [](std::byte four) { return four != std::byte{ four_with_data }; };
    if (std::find_if(states, end, differs) != end) return false;
    return n % 4 == 0 || *end == static_cast<std::byte>(last_with_data(n));
}

namespace {

// What the bits below say.
constexpr int ghosts_shift = 24;
constexpr uint32_t low_bits = (1u << ghosts_shift) - 1;
constexpr uint32_t ghosts_alike = 0; // all alike: none is 0, 0 stands for all that there are
constexpr uint32_t ghosts_listed = 1;
constexpr uint32_t ghosts_summed = 2;
constexpr uint32_t listed_bits = 4;
constexpr int32_t most_listed_width = (1 << listed_bits) - 1;

} // namespace

uint32_t WireGhosts::word_of(const Widths &widths) {
    const int32_t first = widths[0];
    if (first > 0 && std::ranges::count(widths, first) == std::ssize(widths))
        return ghosts_alike << ghosts_shift | (first == INT32_MAX ? 0 : std::min(static_cast<uint32_t>(first), low_bits));
    uint32_t listed = 0;
    uint64_t sum = 0;
    for (const int32_t width : widths) {
        listed = listed << listed_bits | static_cast<uint32_t>(width);
        sum = Digest::mix(sum ^ static_cast<uint32_t>(width));
    }
    if (std::ranges::max(widths) <= most_listed_width) return ghosts_listed << ghosts_shift | listed;
    return ghosts_summed << ghosts_shift | (static_cast<uint32_t>(sum) & low_bits);
}

std::optional<WireGhosts::Widths> WireGhosts::widths_of(uint32_t word) {
    const uint32_t low = word & low_bits;
    Widths widths{};
    switch (word >> ghosts_shift) {
    case ghosts_alike: widths.fill(low == 0 ? INT32_MAX : static_cast<int32_t>(low)); return widths;
    case ghosts_listed:
        for (size_t i = 0; i < widths.size(); ++i) widths[i] = static_cast<int32_t>(low >> listed_bits * (widths.size() - 1 - i)) & most_listed_width;
        return widths;
    default: return std::nullopt;
    }
}

namespace {

// Kinds whose payload follows the header and is all there is.
const char *plain_error(const MessageHeader &header, size_t behind) {
    if ((header.flags & location_flags) != 0) return "its payload is said to lie elsewhere, which only data may";
    if (header.n_states != 0) return "it has states, which only data have";
    return header.payload_bytes != behind ? "its header tells another size" : nullptr;
}

// Something of a known size, then text.
const char *sized_error(const MessageHeader &header, size_t behind, size_t least, size_t most) {
    if (behind < least) return "it is shorter than messages of its kind";
    return behind > most ? "its text is too long" : plain_error(header, behind);
}

const char *data_error(const MessageHeader &header, size_t behind, bool summed) {
    constexpr unsigned places = location_flags | unsigned{ flag_parts };
    if (std::popcount(header.flags & places) > 1) return "its payload is said to lie in several places";
    if ((header.flags & flag_get) != 0 && (header.n_states != 0 || header.payload_bytes != 0))
        return "what lies in the sender's storage is all there is";
    const size_t besides = payload_offset(header.n_states) - sizeof header + (summed ? sizeof(uint64_t) : 0);
    if (behind < besides) return "it is shorter than its states";
    return behind - besides != header.payload_bytes ? "its header tells another size" : nullptr;
}

const char *keys_error(const MessageHeader &header, size_t behind) {
    if (behind % sizeof(WireEdge) != 0) return "it does not hold whole edges";
    return header.epoch > behind / sizeof(WireEdge) ? "more edges are said to be sent than it holds" : plain_error(header, behind);
}

const char *kind_error(const MessageHeader &header, size_t behind, bool summed) {
    switch (header.kind) {
    case MessageKind::data: return data_error(header, behind, summed);
    case MessageKind::handshake: return sized_error(header, behind, sizeof(HandshakePayload), sizeof(HandshakePayload) + most_terms_bytes);
    case MessageKind::failure: return sized_error(header, behind, sizeof(FailurePayload), most_plain_bytes);
    case MessageKind::credit: return behind != 0 ? "a credit has no payload" : plain_error(header, behind);
    case MessageKind::keys: return keys_error(header, behind);
    case MessageKind::terms: return plain_error(header, behind);
    }
    return "its kind is not known";
}

} // namespace

const char *wire_error(const MessageHeader &header, size_t bytes, bool summed) {
    if (header.magic != message_magic) return "it has not the magic of a message of this library";
    if (header.version != wire_version) return "it is of another wire version";
    if (bytes < sizeof header) return "it is shorter than a header";
    unsigned known = location_flags | ability_flags;
    if (header.kind == MessageKind::failure) known |= flag_lasts;
    if (header.kind == MessageKind::data) known |= flag_parts;
    if ((header.flags & ~known) != 0) return "it has a flag that is not known";
    if ((header.kind == MessageKind::failure) == (header.status == HALO_SUCCESS)) return "its status does not go with its kind";
    return kind_error(header, bytes - sizeof header, summed);
}

} // namespace halo
