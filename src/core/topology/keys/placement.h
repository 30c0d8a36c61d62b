// SPDX-License-Identifier: BSD-3-Clause
// Which rank decides about a key: its share of the directory.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "comm/context.h"

namespace halo {

// First and last.
struct KeyRange {
    uint64_t low;
    uint64_t high;
    bool has(uint64_t key) const { return key - low <= high - low; }
    void widen(uint64_t key) { *this = { std::min(low, key), std::max(high, key) }; }
};
constexpr KeyRange no_keys{ UINT64_MAX, 0 };

class KeyPlacement {
public:
    // Scattered by a hash of the key.
    static KeyPlacement by_hash(int32_t n_ranks);
    // Ranges of about equal numbers of keys, from a histogram over all ranks. Keys whose flags have HALO_KEY_IGNORE are left out. Collective. O(1)
    // memory.
    static KeyPlacement by_range(Context &context, const halo_keys_desc &desc);
    // The same where it is known between which keys all of this rank's lie, by one in so many of them.
    static KeyPlacement by_sample(Context &context, const halo_keys_desc &desc, KeyRange mine);

    bool ascending() const { return !bins_.empty(); } // greater keys never lie on lower ranks
    // Does some rank get far more than its share?
    bool uneven() const { return uneven_; }
    int32_t rank_of(uint64_t key) const;
    // Where ascending: the keys of one rank among those that there are.
    std::optional<KeyRange> range_of(int32_t rank) const;

private:
    static constexpr int64_t n_bins = 1024;
    // The bin in the upper half, the place within it in the lower.
    unsigned __int128 place_of(uint64_t key) const { return static_cast<unsigned __int128>(key - range_.low) * scale_; }
    void find_range(Context &context, KeyRange mine);
    void share_bins(Context &context, std::vector<int64_t> counts);
    size_t bin_of(uint64_t key) const { return static_cast<size_t>(place_of(key) >> 64); }

    int32_t n_ranks_ = 1;
    KeyRange range_{}; // of all keys
    uint64_t scale_ = 1;
    std::vector<double> bins_; // keys below each bin, as a share of all; and the end
    bool uneven_ = false;
};

uint64_t mixed(uint64_t key);

// What is said of a key.
inline int32_t flags_of(const halo_keys_desc &desc, uint32_t position) {
    const int32_t given = desc.flags ? desc.flags[position] : 0;
    return desc.n_mine < 0 ? given : given | (position < desc.n_mine ? HALO_KEY_CLAIM : HALO_KEY_WANT);
}

// Calls visit(position) for those that are not to be left out.
template <class Visit>
void for_each_key(const halo_keys_desc &desc, Visit &&visit, int64_t first = 0) {
    for (int64_t i = first; i < desc.n_keys; ++i)
        if (!desc.flags || (desc.flags[i] & HALO_KEY_IGNORE) == 0) visit(static_cast<uint32_t>(i));
}

} // namespace halo
