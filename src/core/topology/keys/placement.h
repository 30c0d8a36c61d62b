// SPDX-License-Identifier: BSD-3-Clause
// Which rank decides about a key: its share of the directory.
#pragma once

#include <vector>

#include "comm/context.h"
#include "topology/keys/key_list.h"

namespace halo {

class KeyPlacement {
public:
    // Scattered by a hash of the key.
    static KeyPlacement by_hash(int32_t n_ranks);
    // Ranges of about equal numbers of keys, from a histogram over all ranks. Collective. O(1) memory.
    static KeyPlacement by_range(Context &context, const KeyList &keys);

    bool ascending() const { return !bins_.empty(); } // greater keys never lie on lower ranks
    // Does some rank get far more than its share?
    bool uneven() const { return uneven_; }
    int32_t rank_of(uint64_t key) const;

private:
    static constexpr int64_t n_bins = 1024;
    int64_t bin_of(uint64_t key) const { return static_cast<int64_t>((key - low_) / width_); }

    int32_t n_ranks_ = 1;
    uint64_t low_ = 0;
    uint64_t width_ = 1;       // of a bin
    std::vector<double> bins_; // keys below each bin, as a share of all; and the end
    bool uneven_ = false;
};

uint64_t mixed(uint64_t key);

} // namespace halo
