// SPDX-License-Identifier: BSD-3-Clause
#include "comm/message.h"

#include <cstring>
#include <tuple>

#include "base/error.h"

namespace halo {

namespace {

auto order(const halo_channel_key &key) { return std::tie(key.send_gid, key.recv_gid, key.field, key.element, key.extra); }

} // namespace

bool before(const halo_channel_key &a, const halo_channel_key &b) { return order(a) < order(b); }

bool equal(const halo_channel_key &a, const halo_channel_key &b) { return order(a) == order(b); }

bool WireEdge::operator==(const WireEdge &other) const { return equal(key, other.key) && bytes == other.bytes && type == other.type; }

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

std::string describe(const halo_channel_key &key) {
    std::string text = format("%lld -> %lld, field %d, element %d", static_cast<long long>(key.send_gid), static_cast<long long>(key.recv_gid),
                              key.field, key.element);
    if (key.extra != 0) text += format(", extra %lld", static_cast<long long>(key.extra));
    return text;
}

} // namespace halo
