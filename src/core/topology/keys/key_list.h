// SPDX-License-Identifier: BSD-3-Clause
// Keys of one rank in ascending order, each once, with where the caller gave them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halo.h"

namespace halo {

class KeyList {
public:
    // Keys whose flags have HALO_KEY_IGNORE are left out. `flags` may be null.
    KeyList(const uint64_t *keys, const int32_t *flags, int64_t n);

    int64_t size() const { return first_.empty() ? std::ssize(positions_) : std::ssize(first_) - 1; }
    std::span<const uint64_t> keys() const { return unique_.empty() ? sorted_ : std::span<const uint64_t>(unique_); }
    uint64_t key(int64_t i) const { return keys()[i]; }
    // Of key i, in the caller's order.
    std::span<const uint32_t> positions(int64_t i) const {
        if (first_.empty()) return { positions_.data() + i, 1 };
        return { positions_.data() + first_[i], first_[i + 1] - first_[i] };
    }
    bool any_twice() const { return !first_.empty(); }

private:
    void sort();
    void find_equal();

    std::vector<uint64_t> own_; // empty: the caller's own are in order
    std::span<const uint64_t> sorted_;
    std::vector<uint32_t> positions_; // of sorted_
    std::vector<uint64_t> unique_;    // empty: no key comes twice
    std::vector<uint32_t> first_;     // place of each unique key in sorted_, and the end
};

} // namespace halo
