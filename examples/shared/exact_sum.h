// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>

namespace ranks {

/// A sum of doubles without rounding, so that it depends neither on the order nor on who adds what: a fixed-point number as wide as the range of
/// doubles (U. Kulisch, "Computer Arithmetic and Validity", 2008, chapter 8: the long accumulator), kept as R. Neal does ("Fast exact summation using
/// small and large superaccumulators", arXiv:1505.05571, 2015, section 3): words of 64 bits with digits of 32, carried only at the end. Words of
/// several ranks are added word by word. Good for 2^31 terms; a term that is not finite spoils the sum into NaN.
class ExactSum {
public:
    static constexpr std::size_t n_words = 70; // 2098 bits of finite doubles, 64 more for sums of many, one word that counts what is not finite

    void add(double term) {
        const auto bits = std::bit_cast<std::uint64_t>(term);
        const auto exponent = static_cast<unsigned>(bits >> 52 & 0x7ff);
        std::uint64_t mantissa = bits & 0xfffffffffffffu;
        if (exponent == 0x7ff) return void(++words_[n_words - 1]);
        if (exponent > 0) mantissa |= std::uint64_t{ 1 } << 52;
        const unsigned position = exponent > 0 ? exponent - 1 : 0; // of the mantissa's lowest bit, counted from 2^-1074
        const unsigned shift = position % 32;
        const std::uint64_t low = (mantissa & 0xffffffffu) << shift, high = (mantissa >> 32) << shift;
        const std::int64_t sign = bits >> 63 ? -1 : 1;
        auto *word = &words_[position / 32];
        word[0] += sign * static_cast<std::int64_t>(low & 0xffffffffu);
        word[1] += sign * static_cast<std::int64_t>((low >> 32) + (high & 0xffffffffu));
        word[2] += sign * static_cast<std::int64_t>(high >> 32);
    }

    std::span<std::int64_t> words() { return words_; }

    /// Rounded in one way that depends on the exact value alone.
    double value() const {
        if (words_.back() != 0) return std::nan("");
        auto digits = words_;
        const bool negative = carry(digits) < 0;
        if (negative) { // the size of a negative number has digits from 0 up too
            for (auto &digit : digits) digit = -digit;
            carry(digits);
        }
        double size = 0;
        for (std::size_t i = 0; i + 1 < n_words; ++i) // from the smallest: the rounding errors stay below the last place
            size += std::ldexp(static_cast<double>(digits[i]), static_cast<int>(32 * i) - 1074);
        return negative ? -size : size;
    }

private:
    /// Bring every digit but the highest into 0 .. 2^32 - 1. Returns the highest, which has the sign.
    static std::int64_t carry(std::array<std::int64_t, n_words> &digits) {
        for (std::size_t i = 0; i + 2 < n_words; ++i) {
            digits[i + 1] += digits[i] >> 32;
            digits[i] &= 0xffffffff;
        }
        return digits[n_words - 2];
    }

    std::array<std::int64_t, n_words> words_{};
};

} // namespace ranks
