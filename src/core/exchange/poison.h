// SPDX-License-Identifier: BSD-3-Clause
// Check mode: values that ghosts in flight hold. Floating-point ones are quiet NaNs that say where they come from; arithmetic hands them on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/digest.h"
#include "exchange/box_values.h"
#include "field/field.h"

namespace halo {

// Compilers do not make vectors of loops that store values through bytes.
typedef uint64_t PairOfWords __attribute__((vector_size(16)));

// Of one part of a field, by local index. Integers and bytes cannot tell where they come from; what they hold depends on the setting check.seed.
class Poison {
public:
    Poison(const FieldSpec &spec, int32_t ordinal, int64_t seed, int64_t part);

    // A value of so many bytes, at this element of the part's storage.
    void store(int64_t element, std::byte *at, int64_t bytes) const {
        const uint64_t word = word_of(element);
        for (int64_t done = 0; done < bytes; done += 8) std::memcpy(at + done, &word, static_cast<size_t>(std::min<int64_t>(8, bytes - done)));
    }
    // Is it still exactly what was stored?
    bool is_at(int64_t element, const std::byte *at, int64_t bytes) const {
        const uint64_t word = word_of(element);
        for (int64_t done = 0; done < bytes; done += 8)
            if (std::memcmp(at + done, &word, static_cast<size_t>(std::min<int64_t>(8, bytes - done))) != 0) return false;
        return true;
    }

    // The same of a row of BoxValues in a part's storage, which the compiler need not take for a part of this.
    template <class N, class Bytes>
    void store_row(std::byte *storage, N n, Bytes bytes, SideBySide at) const {
        if (!has_pairs()) return store_row<N, Bytes, SideBySide>(storage, n, bytes, at);
        std::byte *const to = storage + at.begin;
        const int64_t done = for_each_pair(at.first_element(), n, [to](int64_t i, Pair words) { std::memcpy(to + i * 8, &words, sizeof words); });
        if (done < n) store(at.first_element() + done, to + done * 8, 8);
    }
    template <class N, class Bytes, class At>
    void store_row(std::byte *storage, N n, Bytes bytes, At at) const {
        if (tells_place_)
            store_row(storage, n, bytes, at, [self = *this](int64_t element) { return self.with_place(element); });
        else
            store_row(storage, n, bytes, at, [self = *this](int64_t element) { return self.without_place(element); });
    }
    template <class N, class Bytes, class At>
    bool is_in_row(const std::byte *storage, N n, Bytes bytes, At at) const {
        return first_other(storage, n, bytes, at) == n;
    }
    template <class N, class Bytes>
    bool is_in_row(const std::byte *storage, N n, Bytes bytes, SideBySide at) const {
        if (!has_pairs()) return first_other(storage, n, bytes, at) == n;
        const std::byte *const from = storage + at.begin;
        Pair differs{};
        const int64_t done = for_each_pair(at.first_element(), n, [&differs, from](int64_t i, Pair words) {
            Pair two;
            std::memcpy(&two, from + i * 8, sizeof two);
            differs |= two ^ words;
        });
        return (differs[0] | differs[1]) == 0 && (done == n || is_at(at.first_element() + done, from + done * 8, 8));
    }
    template <class N, class Bytes, class At>
    int64_t first_other(const std::byte *storage, N n, Bytes bytes, At at) const {
        for (int64_t i = 0; i < n; ++i)
            if (!is_at(at(i) / bytes, storage + at(i), bytes)) return i;
        return n;
    }

private:
    // Words of two elements side by side, each of which has a place alone.
    using Pair = PairOfWords;
    bool has_pairs() const { return tells_place_ && high_mask_ == 0; }
    // Calls visit(i, words) for each two of a row, from that element on; returns how many values it was: one may be left.
    template <class N, class Visit>
    int64_t for_each_pair(int64_t first, N n, Visit &&visit) const {
        const Pair base{ base_, base_ }, mask{ low_mask_, low_mask_ };
        Pair place{ static_cast<uint64_t>(first), static_cast<uint64_t>(first) + 1 };
        int64_t i = 0;
        for (; i + 2 <= n; i += 2, place += 2) visit(i, base ^ (place & mask));
        return i;
    }
    uint64_t word_of(int64_t element) const { return tells_place_ ? with_place(element) : without_place(element); }
    uint64_t with_place(int64_t element) const {
        const auto place = static_cast<uint64_t>(element);
        return base_ ^ (place & low_mask_) ^ (place << 32 & high_mask_);
    }
    uint64_t without_place(int64_t element) const { return is_number_ ? base_ : Digest::mix(base_ + static_cast<uint64_t>(element) + 1); }

    template <class N, class Bytes, class At, class Word>
    static void store_row(std::byte *storage, N n, Bytes bytes, At at, Word word_at) {
        for (int64_t i = 0; i < n; ++i) {
            const uint64_t word = word_at(at(i) / bytes);
            std::byte *const value = storage + at(i);
            for (int64_t done = 0; done < bytes; done += 8) std::memcpy(value + done, &word, static_cast<size_t>(std::min<int64_t>(8, bytes - done)));
        }
    }

    uint64_t base_;
    bool is_number_ = true;
    bool tells_place_ = false;
    uint64_t low_mask_ = 0;  // bits of the place, in the first number of a word
    uint64_t high_mask_ = 0; // and in the second
};

// Only floating-point values can tell that they were computed from poison.
bool can_be_poison(const FieldSpec &spec);

// What a poisoned value says of its origin.
struct PoisonOrigin {
    bool found = false;
    int32_t ordinal = 0; // low bits of the field's ordinal; -1: the type has no room for it
    int64_t place = 0;   // low bits of it, of part and element; -1: no room either
};
// The ghost, as far as that is enough to tell it from the others of this rank.
std::string name_origin(const Context &context, const PoisonOrigin &origin);
// Was this value computed from poison? Only floating-point types can tell.
PoisonOrigin poison_origin(const FieldSpec &spec, const std::byte *at);

// Bits of a double that is poison, from above: sign 1, exponent all ones, quiet 1, mark (11), field (8), element (32).
constexpr uint64_t poison64 = 0xfff8000000000000u | uint64_t{ 0x5a7 } << 40;
// Of a float: sign, exponent, quiet, mark (6), element (16).
constexpr uint32_t poison32 = 0xffc00000u | 0x2bu << 16;

// Is there one among all that is looked at?
class PoisonSearch {
public:
    explicit PoisonSearch(const FieldSpec &spec);
    // Of doubles and floats, real or complex.
    bool can() const { return can_; }
    // At so many bytes of such numbers side by side.
    void look(const std::byte *at, int64_t bytes) {
        int64_t done = 0;
#pragma GCC unroll 4
        for (; done + 16 <= bytes; done += 16) {
            Words words;
            std::memcpy(&words, at + done, 16);
            found_ |= is_poison(words);
        }
        if (done == bytes) return;
        Words rest{};
        std::memcpy(&rest, at + done, static_cast<size_t>(bytes - done));
        found_ |= is_poison(rest);
    }
    bool has_found() const { return (found_[0] | found_[1] | found_[2] | found_[3]) != 0; }

private:
    typedef uint32_t Words __attribute__((vector_size(16)));
    Words is_poison(Words words) const { return (words & mask_) == mark_; }

    bool can_ = false;
    Words mask_{}, mark_{ 1, 1, 1, 1 }; // of words that tell nothing: no word is the mark
    Words found_{};
};

// The first of `n` values, `step` bytes apart, that was; n: none.
int64_t find_poison(const FieldSpec &spec, const std::byte *at, int64_t step, int64_t n);

} // namespace halo
