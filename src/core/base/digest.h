// SPDX-License-Identifier: BSD-3-Clause
// Hashes by which ranks compare what they hold.
#pragma once

#include <cstddef>
#include <cstdint>

namespace halo {

// 128 bits over a sequence of values.
struct Digest {
    uint64_t low = 0x9e3779b97f4a7c15u;
    uint64_t high = 0xc2b2ae3d27d4eb4fu;
    bool operator==(const Digest &) const = default;

    void add(uint64_t value) {
        low = mix(low ^ value);
        high = mix(high + value * 0x9fb21c651e98df25u);
    }
    void add_text(const char *text) {
        for (; *text; ++text) add(static_cast<uint8_t>(*text));
        add(0xff);
    }
    static constexpr uint64_t mix(uint64_t x) {
        x ^= x >> 32;
        x *= 0xd6e8feb86659fd93u;
        x ^= x >> 32;
        x *= 0xd6e8feb86659fd93u;
        return x ^ (x >> 32);
    }
};

// Check mode: what bytes on their way should still sum up to at the other end. Every single changed bit is noticed.
uint64_t checksum(const void *data, size_t bytes);

} // namespace halo
