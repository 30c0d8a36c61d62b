// SPDX-License-Identifier: BSD-3-Clause
#include "comm/message.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/error.h"

namespace halo {

namespace {

auto order(const halo_channel_key &key) { return std::tie(key.send_gid, key.recv_gid, key.field, key.element, key.extra); }

} // namespace

bool before(const halo_channel_key &a, const halo_channel_key &b) { return order(a) < order(b); }

bool equal(const halo_channel_key &a, const halo_channel_key &b) { return order(a) == order(b); }

bool WireEdge::operator==(const WireEdge &other) const {
    return equal(key, other.key) && bytes == other.bytes && type == other.type && pattern == other.pattern;
}

uint64_t checksum(const void *data, size_t bytes) {
    const auto *at = static_cast<const std::byte *>(data);
    uint64_t sum = bytes;
    for (; bytes >= 8; at += 8, bytes -= 8) {
        uint64_t word;
        std::memcpy(&word, at, 8);
        sum = Digest::mix(sum ^ word) + 1;
    }
    for (; bytes > 0; ++at, --bytes) sum = Digest::mix(sum ^ static_cast<uint64_t>(*at)) + 1;
    return sum;
}

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

std::string describe(const halo_channel_key &key) {
    std::string text = format("%lld -> %lld, field %d, element %d", static_cast<long long>(key.send_gid), static_cast<long long>(key.recv_gid),
                              key.field, key.element);
    if (key.extra != 0) text += format(", extra %lld", static_cast<long long>(key.extra));
    return text;
}

} // namespace halo
