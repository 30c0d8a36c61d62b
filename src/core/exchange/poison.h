// SPDX-License-Identifier: BSD-3-Clause
// Check mode: values that ghosts in flight hold. Floating-point ones are quiet NaNs that say where they come from; arithmetic hands them on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/digest.h"
#include "field/field.h"

namespace halo {

// Of one field. Integers and bytes cannot tell where they come from; what they hold depends on the setting check.seed.
class Poison {
public:
    Poison(const FieldSpec &spec, int32_t ordinal, int64_t seed);

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

private:
    uint64_t word_of(int64_t element) const {
        const auto place = static_cast<uint64_t>(element);
        return mask_ != 0 ? base_ | (place & mask_) * factor_ : Digest::mix(base_ + place + 1);
    }

    uint64_t base_;
    uint64_t mask_ = 0; // of the place, which a floating-point value has room for
    uint64_t factor_ = 1;
};

// Only floating-point values can tell that they were computed from poison.
bool can_be_poison(const FieldSpec &spec);

// What a poisoned value says of its origin.
struct PoisonOrigin {
    bool found = false;
    int32_t ordinal = 0; // low bits of the field's ordinal; -1: the type has no room for it
    int64_t element = 0; // low bits of the place in the part's storage; -1: no room either
};
// Was this value computed from poison? Only floating-point types can tell.
PoisonOrigin poison_origin(const FieldSpec &spec, const std::byte *at);

// The first of `n` values, `step` bytes apart, that was; n: none.
int64_t find_poison(const FieldSpec &spec, const std::byte *at, int64_t step, int64_t n);

} // namespace halo
