// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/key_list.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace halo {

KeyList::KeyList(const uint64_t *keys, std::vector<uint32_t> positions, std::span<const int64_t> part_offsets, const int32_t *flags)
    : positions_(std::move(positions)) {
    keys_.reserve(positions_.size());
    for (const uint32_t position : positions_) keys_.push_back(keys[position]);
    if (!std::is_sorted(keys_.begin(), keys_.end())) sort();
    if (std::adjacent_find(keys_.begin(), keys_.end()) != keys_.end()) unite_equal(part_offsets, flags);
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

// What gives comes before what only receives.
void KeyList::unite_equal(std::span<const int64_t> part_offsets, const int32_t *flags) {
    const auto n = static_cast<uint32_t>(keys_.size());
    const auto part_end = [&](uint32_t position) {
        return part_offsets.empty() ? INT64_MAX : *std::upper_bound(part_offsets.begin(), part_offsets.end(), int64_t{ position });
    };
    const auto gives = [&](uint32_t position) { return (flags[position] & HALO_KEY_READ_ONLY) == 0; };
    uint32_t n_entries = 0;
    const auto add = [&](uint64_t key, uint32_t first) {
        if (n_entries > 0 && keys_[n_entries - 1] == key) ++n_again_;
        keys_[n_entries++] = key;
        first_.push_back(first);
    };
    for (uint32_t begin = 0, end; begin < n; begin = end) {
        const uint64_t key = keys_[begin];
        const int64_t last = part_end(positions_[begin]);
        for (end = begin + 1; end < n && keys_[end] == key && positions_[end] < last;) ++end;
        add(key, begin);
        if (!flags || end == begin + 1) continue;
        const auto rest = std::stable_partition(positions_.begin() + begin, positions_.begin() + end, gives);
        const auto receiving = static_cast<uint32_t>(rest - positions_.begin());
        if (receiving == begin || receiving == end) continue;
        receiving_rests_.push_back(n_entries);
        add(key, receiving);
    }
    first_.push_back(n);
    keys_.resize(n_entries);
}

std::pair<int64_t, int64_t> KeyList::entries_alike(int64_t i) const {
    int64_t begin = i, end = i + 1;
    while (begin > 0 && keys_[begin - 1] == keys_[i]) --begin;
    while (end < size() && keys_[end] == keys_[i]) ++end;
    return { begin, end };
}

} // namespace halo
