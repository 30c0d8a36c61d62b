// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/placement.h"

#include <algorithm>

#include "comm/collective.h"
#include "comm/message.h"

namespace halo {

uint64_t mixed(uint64_t key) { return Digest::mix(key); }

KeyPlacement KeyPlacement::by_hash(int32_t n_ranks) {
    KeyPlacement placement;
    placement.n_ranks_ = n_ranks;
    return placement;
}

// Keys are compared as signed numbers with the sign bit turned, which keeps their order.
KeyPlacement KeyPlacement::by_range(Context &context, const KeyList &keys) {
    constexpr uint64_t turn = uint64_t{ 1 } << 63;
    KeyPlacement placement = by_hash(context.size());
    const bool none = keys.size() == 0;
    const int64_t ends[2] = { none ? INT64_MAX : static_cast<int64_t>(keys.keys().front() ^ turn),
                              none ? INT64_MAX : static_cast<int64_t>(~(keys.keys().back() ^ turn)) };
    int64_t found[2];
    allreduce(context, ends, found, 2, HALO_INT64, HALO_MIN);
    const uint64_t low = static_cast<uint64_t>(found[0]) ^ turn, high = static_cast<uint64_t>(~found[1]) ^ turn;
    placement.low_ = std::min(low, high);
    placement.width_ = (std::max(low, high) - placement.low_) / n_bins + 1;

    std::vector<int64_t> counts(n_bins, 0);
    const auto sorted = keys.keys();
    for (auto at = sorted.begin(); at != sorted.end();) {
        const int64_t bin = placement.bin_of(*at);
        const uint64_t last = placement.low_ + static_cast<uint64_t>(bin) * placement.width_ + (placement.width_ - 1);
        const auto end = last < placement.low_ ? sorted.end() : std::upper_bound(at, sorted.end(), last); // past the greatest number
        counts[bin] = end - at;
        at = end;
    }
    allreduce(context, counts.data(), counts.data(), n_bins, HALO_INT64, HALO_SUM);
    double all = 0, most = 0;
    for (const int64_t count : counts) {
        all += static_cast<double>(count);
        most = std::max(most, static_cast<double>(count));
    }
    placement.bins_.push_back(0);
    for (const int64_t count : counts) placement.bins_.push_back(placement.bins_.back() + static_cast<double>(count) / std::max(all, 1.0));
    placement.uneven_ = most > 2 * all / context.size() + 1024; // what lies in one bin may lie at one place of it
    return placement;
}

int32_t KeyPlacement::rank_of(uint64_t key) const {
    if (!ascending()) return static_cast<int32_t>(static_cast<unsigned __int128>(mixed(key)) * static_cast<uint64_t>(n_ranks_) >> 64);
    const int64_t bin = bin_of(key);
    const double within = static_cast<double>(key - low_ - static_cast<uint64_t>(bin) * width_) / static_cast<double>(width_);
    const double share = bins_[bin] + (bins_[bin + 1] - bins_[bin]) * within;
    return static_cast<int32_t>(std::min<double>(share * n_ranks_, n_ranks_ - 1));
}

} // namespace halo
