// SPDX-License-Identifier: BSD-3-Clause
// Some keys of one rank in ascending order, each once for every part that has it, with where the caller gave them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "halo.h"

namespace halo {

class KeyList {
public:
    KeyList() = default;
    // Of `keys`, those at the positions, which ascend. `part_offsets`: where parts begin, and the end; empty: all is one part.
    KeyList(const uint64_t *keys, std::vector<uint32_t> positions, std::span<const int64_t> part_offsets = {});

    int64_t n_different() const { return size() - n_in_other_parts_; }
    int64_t size() const { return first_.empty() ? std::ssize(positions_) : std::ssize(first_) - 1; }
    std::span<const uint64_t> keys() const { return keys_; }
    uint64_t key(int64_t i) const { return keys_[i]; }
    // Of key i, in the caller's order.
    std::span<const uint32_t> positions(int64_t i) const {
        if (first_.empty()) return { positions_.data() + i, 1 };
        return { positions_.data() + first_[i], first_[i + 1] - first_[i] };
    }
    bool any_twice() const { return !first_.empty(); }

private:
    void sort();
    void unite_equal(std::span<const int64_t> part_offsets);

    std::vector<uint64_t> keys_;
    std::vector<uint32_t> positions_; // by key
    std::vector<uint32_t> first_;     // place of each key's first position, and the end; empty: no key comes twice
    int64_t n_in_other_parts_ = 0;
};

} // namespace halo
