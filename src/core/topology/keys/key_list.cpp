// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/key_list.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace halo {

KeyList::KeyList(const uint64_t *keys, std::vector<uint32_t> positions, std::span<const int64_t> part_offsets) : positions_(std::move(positions)) {
    keys_.reserve(positions_.size());
    for (const uint32_t position : positions_) keys_.push_back(keys[position]);
    if (!std::is_sorted(keys_.begin(), keys_.end())) sort();
    if (std::adjacent_find(keys_.begin(), keys_.end()) != keys_.end()) unite_equal(part_offsets);
}

// Stable, by digits of 8 bits, least first; digits in which all keys agree are passed over.
void KeyList::sort() {
    constexpr int bits = 8; // as many places to write to as the translation of addresses keeps
    constexpr size_t values = size_t{ 1 } << bits;
    const size_t n = keys_.size();
    uint64_t different = 0;
    for (const uint64_t key : keys_) different |= key ^ keys_[0];
    std::vector<uint64_t> keys(n);
    std::vector<uint32_t> positions(n);
    std::array<uint32_t, values> place;
    for (int shift = 0; shift < 64; shift += bits) {
        if ((different >> shift & (values - 1)) == 0) continue;
        place.fill(0);
        for (const uint64_t key : keys_) ++place[key >> shift & (values - 1)];
        std::exclusive_scan(place.begin(), place.end(), place.begin(), 0U);
        for (size_t i = 0; i < n; ++i) {
            const uint32_t to = place[keys_[i] >> shift & (values - 1)]++;
            keys[to] = keys_[i];
            positions[to] = positions_[i];
        }
        keys_.swap(keys);
        positions_.swap(positions);
    }
}

void KeyList::unite_equal(std::span<const int64_t> part_offsets) {
    const auto in_one_part = [&](int64_t position, int64_t later) {
        return part_offsets.empty() || *std::upper_bound(part_offsets.begin(), part_offsets.end(), position) > later;
    };
    uint32_t n = 0;
    for (uint32_t i = 0; i < keys_.size(); ++i) {
        const bool equal = i > 0 && keys_[i] == keys_[n - 1];
        if (equal && in_one_part(positions_[i - 1], positions_[i])) continue;
        if (equal) ++n_in_other_parts_;
        first_.push_back(i);
        keys_[n++] = keys_[i];
    }
    first_.push_back(static_cast<uint32_t>(positions_.size()));
    keys_.resize(n);
}

} // namespace halo
