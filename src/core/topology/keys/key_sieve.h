// SPDX-License-Identifier: BSD-3-Clause
// Tells which of many keys may come twice, so that only those need to be sorted. At most four bytes of memory per key.
#pragma once

#include <cstdint>
#include <vector>

#include "base/digest.h"

namespace halo {

class KeySieve {
public:
    // For `n` keys from `low` to `high`. Those that lie close have a bit of their own each, others one by a hash.
    KeySieve(uint64_t low, uint64_t high, int64_t n);

    // A key of this rank.
    void add(uint64_t key) {
        const uint64_t slot = slot_of(key);
        const uint64_t bit = uint64_t{ 1 } << slot % 64;
        twice_[slot / 64] |= once_[slot / 64] & bit;
        once_[slot / 64] |= bit;
    }
    // A key that another has.
    void add_other(uint64_t key) {
        if (hashed_ || key - low_ < n_slots_) mark(slot_of(key));
    }
    // False: nobody else has the key, and it was added once. For keys that were added.
    bool may_be_twice(uint64_t key) const {
        const uint64_t slot = slot_of(key);
        return (twice_[slot / 64] >> slot % 64 & 1) != 0;
    }

private:
    uint64_t slot_of(uint64_t key) const {
        return hashed_ ? static_cast<uint64_t>(static_cast<unsigned __int128>(Digest::mix(key)) * n_slots_ >> 64) : key - low_;
    }
    void mark(uint64_t slot) { twice_[slot / 64] |= uint64_t{ 1 } << slot % 64; }

    uint64_t low_;
    uint64_t n_slots_;
    bool hashed_;
    std::vector<uint64_t> once_;
    std::vector<uint64_t> twice_;
};

} // namespace halo
