// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/key_list.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace halo {

KeyList::KeyList(const uint64_t *keys, const int32_t *flags, int64_t n) {
    positions_.reserve(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
        if (!flags || (flags[i] & HALO_KEY_IGNORE) == 0) positions_.push_back(static_cast<uint32_t>(i));
    const bool all = std::ssize(positions_) == n;
    if (all && std::is_sorted(keys, keys + n)) {
        sorted_ = { keys, static_cast<size_t>(n) };
    } else {
        own_.reserve(positions_.size());
        for (const uint32_t position : positions_) own_.push_back(keys[position]);
        sort();
        sorted_ = own_;
    }
    find_equal();
}

// Stable, by digits of 8 bits, least first; digits in which all keys agree are passed over.
void KeyList::sort() {
    constexpr int bits = 8; // as many places to write to as the translation of addresses keeps
    constexpr size_t values = size_t{ 1 } << bits;
    const size_t n = own_.size();
    uint64_t different = 0;
    for (const uint64_t key : own_) different |= key ^ own_[0];
    std::vector<uint64_t> keys(n);
    std::vector<uint32_t> positions(n);
    std::array<uint32_t, values> place;
    for (int shift = 0; shift < 64; shift += bits) {
        if ((different >> shift & (values - 1)) == 0) continue;
        place.fill(0);
        for (const uint64_t key : own_) ++place[key >> shift & (values - 1)];
        std::exclusive_scan(place.begin(), place.end(), place.begin(), 0U);
        for (size_t i = 0; i < n; ++i) {
            const uint32_t to = place[own_[i] >> shift & (values - 1)]++;
            keys[to] = own_[i];
            positions[to] = positions_[i];
        }
        own_.swap(keys);
        positions_.swap(positions);
    }
}

void KeyList::find_equal() {
    if (std::adjacent_find(sorted_.begin(), sorted_.end()) == sorted_.end()) return;
    for (size_t i = 0; i < sorted_.size(); ++i)
        if (i == 0 || sorted_[i] != sorted_[i - 1]) {
            unique_.push_back(sorted_[i]);
            first_.push_back(static_cast<uint32_t>(i));
        }
    first_.push_back(static_cast<uint32_t>(sorted_.size()));
}

} // namespace halo
