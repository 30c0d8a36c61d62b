// SPDX-License-Identifier: BSD-3-Clause
// Numbers of keys, in the order in which they were added.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace halo {

class KeyIndex {
public:
    static constexpr uint32_t none = UINT32_MAX;

    explicit KeyIndex(size_t expected);

    // Number of the key, and whether it is new.
    std::pair<uint32_t, bool> add(uint64_t key);
    uint32_t find(uint64_t key) const; // `none`: it was not added
    const std::vector<uint64_t> &keys() const { return keys_; }

private:
    size_t slot_of(uint64_t key) const; // the one that has the key, or the free one for it
    void resize(size_t n_slots);

    std::vector<uint64_t> keys_;
    std::vector<uint32_t> slots_; // numbers; at most half of them are taken, their count is a power of 2
};

} // namespace halo
