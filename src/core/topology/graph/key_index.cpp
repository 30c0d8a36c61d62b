// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph/key_index.h"

#include <bit>

#include "base/checked.h"
#include "base/limits.h"
#include "topology/keys/placement.h"

namespace halo {

KeyIndex::KeyIndex(size_t expected) {
    keys_.reserve(expected);
    resize(std::bit_ceil(2 * expected + 2));
}

std::pair<uint32_t, bool> KeyIndex::add(uint64_t key) {
    if (2 * (keys_.size() + 1) > slots_.size()) resize(2 * slots_.size());
    uint32_t &slot = slots_[slot_of(key)];
    if (slot != none) return { slot, false };
    check_limit("points: the number of different keys on this rank", std::ssize(keys_) + 1, limits::points);
    slot = static_cast<uint32_t>(keys_.size());
    keys_.push_back(key);
    return { slot, true };
}

uint32_t KeyIndex::find(uint64_t key) const { return slots_[slot_of(key)]; }

size_t KeyIndex::slot_of(uint64_t key) const {
    size_t slot = mixed(key) & (slots_.size() - 1);
    while (slots_[slot] != none && keys_[slots_[slot]] != key) slot = (slot + 1) & (slots_.size() - 1);
    return slot;
}

void KeyIndex::resize(size_t n_slots) {
    slots_.assign(n_slots, none);
    for (size_t i = 0; i < keys_.size(); ++i) slots_[slot_of(keys_[i])] = static_cast<uint32_t>(i);
}

} // namespace halo
