// SPDX-License-Identifier: BSD-3-Clause
// Some keys of one rank in ascending order, with where the caller gave them: each once for every part that has it, or twice, where some of the
// entries only receive.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "halo.h"

namespace halo {

class KeyList {
public:
    KeyList() = default;
    // Of `keys`, those at the positions, which ascend. `part_offsets`: where parts begin, and the end; empty: all is one part. `flags`: of each of
    // `keys`; null: none.
    KeyList(const uint64_t *keys, std::vector<uint32_t> positions, std::span<const int64_t> part_offsets = {}, const int32_t *flags = nullptr);

    int64_t n_different() const { return size() - n_again_; }
    int64_t size() const { return first_.empty() ? std::ssize(positions_) : std::ssize(first_) - 1; }
    std::span<const uint64_t> keys() const { return keys_; }
    uint64_t key(int64_t i) const { return keys_[i]; }
    // Of entry i, in the caller's order.
    std::span<const uint32_t> positions(int64_t i) const {
        if (first_.empty()) return { positions_.data() + i, 1 };
        return { positions_.data() + first_[i], first_[i + 1] - first_[i] };
    }
    bool any_twice() const { return !first_.empty(); }
    // Entries that only receive, each behind the one of the same part that gives.
    std::span<const uint32_t> receiving_rests() const { return receiving_rests_; }
    // Entries of the key of entry i.
    std::pair<int64_t, int64_t> entries_alike(int64_t i) const;

private:
    void sort();
    void unite_equal(std::span<const int64_t> part_offsets, const int32_t *flags);

    std::vector<uint64_t> keys_;
    std::vector<uint32_t> positions_; // by key
    std::vector<uint32_t> first_;     // place of each entry's first position, and the end; empty: no key comes twice
    std::vector<uint32_t> receiving_rests_;
    int64_t n_again_ = 0; // entries of a key that the one before has too
};

} // namespace halo
