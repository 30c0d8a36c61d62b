// SPDX-License-Identifier: BSD-3-Clause
#include "base/digest.h"

#include <cstring>

namespace halo {

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

} // namespace halo
