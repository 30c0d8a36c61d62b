// SPDX-License-Identifier: BSD-3-Clause
#include "topology/keys/placement.h"

#include <algorithm>

#include "base/digest.h"
#include "comm/collective.h"

namespace halo {

uint64_t mixed(uint64_t key) { return Digest::mix(key); }

KeyPlacement KeyPlacement::by_hash(int32_t n_ranks) {
    KeyPlacement placement;
    placement.n_ranks_ = n_ranks;
    return placement;
}

KeyPlacement KeyPlacement::by_range(Context &context, const halo_keys_desc &desc) {
    KeyPlacement placement = by_hash(context.size());
    KeyRange mine = no_keys;
    for_each_key(desc, [&](uint32_t i) { mine.widen(desc.keys[i]); });
    placement.find_range(context, mine);
    std::vector<int64_t> counts(n_bins, 0);
    for_each_key(desc, [&](uint32_t i) { ++counts[placement.bin_of(desc.keys[i])]; });
    placement.share_bins(context, std::move(counts));
    return placement;
}

KeyPlacement KeyPlacement::by_sample(Context &context, const halo_keys_desc &desc, KeyRange mine) {
    constexpr int64_t sampled = 16;
    KeyPlacement placement = by_hash(context.size());
    placement.find_range(context, mine);
    std::vector<int64_t> counts(n_bins, 0);
    for (int64_t i = 0; i < desc.n_keys; i += sampled) counts[placement.bin_of(desc.keys[i])] += sampled;
    placement.share_bins(context, std::move(counts));
    return placement;
}

// Keys are compared as signed numbers with the sign bit turned, which keeps their order.
void KeyPlacement::find_range(Context &context, KeyRange mine) {
    constexpr uint64_t turn = uint64_t{ 1 } << 63;
    const int64_t ends[2] = { static_cast<int64_t>(mine.low ^ turn), static_cast<int64_t>(~(mine.high ^ turn)) };
    int64_t found[2];
    allreduce(context, ends, found, 2, HALO_INT64, HALO_MIN);
    const uint64_t low = static_cast<uint64_t>(found[0]) ^ turn, high = static_cast<uint64_t>(~found[1]) ^ turn;
    range_ = { std::min(low, high), std::max(low, high) }; // no keys at all: anything
    const unsigned __int128 scale = (static_cast<unsigned __int128>(n_bins) << 64) / (static_cast<unsigned __int128>(range_.high - range_.low) + 1);
    scale_ = static_cast<uint64_t>(std::min<unsigned __int128>(scale, UINT64_MAX));
}

void KeyPlacement::share_bins(Context &context, std::vector<int64_t> counts) {
    allreduce(context, counts.data(), counts.data(), n_bins, HALO_INT64, HALO_SUM);
    double all = 0, most = 0;
    for (const int64_t count : counts) {
        all += static_cast<double>(count);
        most = std::max(most, static_cast<double>(count));
    }
    bins_.push_back(0);
    for (const int64_t count : counts) bins_.push_back(bins_.back() + static_cast<double>(count) / std::max(all, 1.0));
    uneven_ = most > 2 * all / n_ranks_ + 1024; // what lies in one bin may lie at one place of it
}

int32_t KeyPlacement::rank_of(uint64_t key) const {
    if (!ascending()) return static_cast<int32_t>(static_cast<unsigned __int128>(mixed(key)) * static_cast<uint64_t>(n_ranks_) >> 64);
    key = std::clamp(key, range_.low, std::max(range_.low, range_.high)); // later keys may lie beyond those from which the ranges were made
    const unsigned __int128 place = place_of(key);
    const auto bin = static_cast<size_t>(place >> 64);
    const double within = static_cast<double>(static_cast<uint64_t>(place)) * 0x1p-64;
    const double share = std::min(bins_[bin] + (bins_[bin + 1] - bins_[bin]) * within, bins_[bin + 1]); // so that it ascends in spite of rounding
    return static_cast<int32_t>(std::min<double>(share * n_ranks_, n_ranks_ - 1));
}

std::optional<KeyRange> KeyPlacement::range_of(int32_t rank) const {
    const auto first_from = [&](int32_t least) { // the first key of a rank from `least` on; the last key if there is none
        uint64_t low = range_.low, high = range_.high;
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if (rank_of(middle) >= least)
                high = middle;
            else
                low = middle + 1;
        }
        return low;
    };
    const uint64_t first = first_from(rank), next = first_from(rank + 1);
    if (rank_of(first) != rank) return std::nullopt;
    return KeyRange{ first, rank_of(next) == rank ? next : next - 1 };
}

} // namespace halo
