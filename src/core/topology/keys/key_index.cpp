// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/key_index.h"

#include <algorithm>
#include <bit>

#include "topology/keys/placement.h"

namespace halo {

DenseKeys dense_range(uint64_t low, uint64_t high, uint64_t n_keys) {
    const bool close = low <= high && (high - low) / least_density < n_keys;
    return close ? DenseKeys{ low, high - low + 1 } : DenseKeys{};
}

KeyIndex::KeyIndex(size_t expected, DenseKeys dense) : first_(dense.first) {
    keys_.reserve(expected);
    if (dense.n > 0) dense_.reserve(std::max(expected, dense.n));
    dense_.assign(dense.n, none);
    resize(std::bit_ceil(dense.n > 0 ? 2 : 2 * expected + 2));
}

std::pair<uint32_t, bool> KeyIndex::add_hashed(uint64_t key) {
    if (2 * (hashed_.size() + 1) > slots_.size()) resize(2 * slots_.size());
    uint32_t &slot = slots_[slot_of(key)];
    if (slot != none) return { slot, false };
    slot = next_number(key);
    hashed_.push_back(slot);
    return { slot, true };
}

uint32_t KeyIndex::add_first(std::span<const uint64_t> keys) {
    check_limit("points: the number of different keys on this rank", std::ssize(keys), limits::points);
    keys_.assign(keys.begin(), keys.end());
    const uint64_t first = first_, n_dense = dense_.size();
    uint32_t *dense = dense_.data();
    for (uint32_t number = 0; number < keys.size(); ++number) {
        const uint64_t key = keys[number];
        const bool expected = key - first < n_dense;
        if (!expected && 2 * (hashed_.size() + 1) > slots_.size()) resize(2 * slots_.size());
        uint32_t &place = expected ? dense[key - first] : slots_[slot_of(key)];
        if (place != none) return number;
        place = number;
        if (!expected) hashed_.push_back(number);
    }
    return none;
}

// Sixteen keys that follow each other share a cache line of slots.
size_t KeyIndex::slot_of(uint64_t key) const {
    const uint64_t block = mixed(key >> 4);
    size_t slot = (block << 4 | ((key ^ block >> 60) & 15)) & (slots_.size() - 1);
    while (slots_[slot] != none && keys_[slots_[slot]] != key) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
}

void KeyIndex::resize(size_t n_slots) {
    slots_.assign(n_slots, none);
    for (const uint32_t number : hashed_) slots_[slot_of(keys_[number])] = number;
}

} // namespace halo
