// SPDX-License-Identifier: BSD-3-Clause
// Check mode: values that ghosts in flight hold. Floating-point ones are quiet NaNs that say where they come from; arithmetic hands them on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/digest.h"
#include "field/field.h"

namespace halo {

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
    template <class N, class Bytes, class At>
    void store_row(std::byte *storage, N n, Bytes bytes, At at) const {
        if (tells_place_)
            store_row(storage, n, bytes, at, [self = *this](int64_t element) { return self.with_place(element); });
        else
            store_row(storage, n, bytes, at, [self = *this](int64_t element) { return self.without_place(element); });
    }
    template <class N, class Bytes, class At>
    bool is_in_row(const std::byte *storage, N n, Bytes bytes, At at) const {
        if (bytes != 8 || !tells_place_) return first_other(storage, n, bytes, at) == n;
        uint64_t differs = 0;
        for (int64_t i = 0; i < n; ++i) {
            uint64_t word = 0;
            std::memcpy(&word, storage + at(i), 8);
            differs |= word ^ with_place(at(i) / 8);
        }
        return differs == 0;
    }
    template <class N, class Bytes, class At>
    int64_t first_other(const std::byte *storage, N n, Bytes bytes, At at) const {
        for (int64_t i = 0; i < n; ++i)
            if (!is_at(at(i) / bytes, storage + at(i), bytes)) return i;
        return n;
    }

private:
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

// The first of `n` values, `step` bytes apart, that was; n: none.
int64_t find_poison(const FieldSpec &spec, const std::byte *at, int64_t step, int64_t n);

} // namespace halo
