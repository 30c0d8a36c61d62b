// SPDX-License-Identifier: BSD-3-Clause
#include "base/digest.h"

#include <array>
#include <cstring>

namespace halo {

// Of each four words every one goes into a sum of its own, which need not wait for each other.
uint64_t checksum(const void *data, size_t bytes) {
    const auto *at = static_cast<const std::byte *>(data);
    std::array<uint64_t, 4> sums{ bytes, 1, 2, 3 };
    for (; bytes >= sizeof sums; at += sizeof sums, bytes -= sizeof sums) {
        std::array<uint64_t, 4> words;
        std::memcpy(words.data(), at, sizeof words);
        for (size_t i = 0; i < sums.size(); ++i) sums[i] = Digest::mix(sums[i] ^ words[i]) + 1;
    }
    uint64_t sum = sums[0];
    for (size_t i = 1; i < sums.size(); ++i) sum = Digest::mix(sum ^ sums[i]) + 1;
    for (; bytes >= 8; at += 8, bytes -= 8) {
        uint64_t word;
        std::memcpy(&word, at, 8);
        sum = Digest::mix(sum ^ word) + 1;
    }
    for (; bytes > 0; ++at, --bytes) sum = Digest::mix(sum ^ static_cast<uint64_t>(*at)) + 1;
    return sum;
}

} // namespace halo
