// SPDX-License-Identifier: BSD-3-Clause
// Numbers of keys, in the order in which they were added.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/checked.h"
#include "base/limits.h"
#include "memory/large_vector.h"

namespace halo {

// A span of keys, most of which are expected: they are looked up in a table instead of by a hash.
struct DenseKeys {
    uint64_t first = 0;
    uint64_t n = 0;
};

// Where keys lie, if they lie close together: at most `least_density` times as many places as keys.
constexpr uint64_t least_density = 4;
DenseKeys dense_range(uint64_t low, uint64_t high, uint64_t n_keys);

// Numbers of the keys of such a span.
struct DenseNumbers {
    uint64_t first = 0;
    std::span<const uint32_t> numbers;
    uint32_t find(uint64_t key) const { return key - first < numbers.size() ? numbers[key - first] : UINT32_MAX; }
};

class KeyIndex {
public:
    static constexpr uint32_t none = UINT32_MAX;

    explicit KeyIndex(size_t expected, DenseKeys dense = {});

    // Number of the key, and whether it is new.
    std::pair<uint32_t, bool> add(uint64_t key) {
        if (!is_dense(key)) return add_hashed(key);
        uint32_t &number = dense_[key - first_];
        if (number != none) return { number, false };
        return { number = next_number(key), true };
    }
    // To an index of none. Place of the first that comes a second time; `none`: they are different.
    uint32_t add_first(std::span<const uint64_t> keys);
    uint32_t find(uint64_t key) const { return is_dense(key) ? dense_[key - first_] : slots_[slot_of(key)]; } // `none`: it was not added
    // The table, which does not move: `none` in it: the key may have been added all the same.
    DenseNumbers dense() const { return { first_, dense_ }; }
    const LargeVector<uint64_t> &keys() const { return keys_; }
    // Nothing can be looked up any more. The table is memory for as many numbers as were expected, if it is there.
    LargeVector<uint64_t> take_keys() { return std::move(keys_); }
    LargeVector<uint32_t> take_table() { return std::move(dense_); }

private:
    bool is_dense(uint64_t key) const { return key - first_ < dense_.size(); }
    std::pair<uint32_t, bool> add_hashed(uint64_t key);
    uint32_t next_number(uint64_t key) {
        check_limit("points: the number of different keys on this rank", std::ssize(keys_) + 1, limits::points);
        keys_.push_back(key);
        return static_cast<uint32_t>(keys_.size() - 1);
    }
    size_t slot_of(uint64_t key) const; // the one that has the key, or the free one for it
    void resize(size_t n_slots);

    LargeVector<uint64_t> keys_;
    uint64_t first_ = 0;
    LargeVector<uint32_t> dense_;  // numbers of the keys from first_ on
    std::vector<uint32_t> slots_;  // those of others; at most half of them are taken, their count is a power of 2
    std::vector<uint32_t> hashed_; // numbers in slots
};

} // namespace halo
