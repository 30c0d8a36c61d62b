// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include <halo.hpp>

namespace ranks {

/// Of keys and the bits of their values, whichever ranks have them: a sum of words, each mixed as in splitmix64 (G. Steele et al., 2014).
class Digest {
public:
    void add(std::uint64_t key, double value) { sum_ += mix(mix(key) + std::bit_cast<std::uint64_t>(value)); }

    /// Of all ranks. Collective.
    std::uint64_t value(const halo::Context &context) const {
        std::int64_t halves[] = { static_cast<std::int64_t>(sum_ & 0xffffffffu), static_cast<std::int64_t>(sum_ >> 32) };
        context.allreduce(std::span<std::int64_t>(halves), HALO_SUM);
        return static_cast<std::uint64_t>(halves[0]) + (static_cast<std::uint64_t>(halves[1]) << 32);
    }

private:
    static std::uint64_t mix(std::uint64_t word) {
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
        word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
        return word ^ (word >> 31);
    }

    std::uint64_t sum_ = 0;
};

} // namespace ranks
