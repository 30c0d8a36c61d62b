// SPDX-License-Identifier: BSD-3-Clause
#include "comm/tags.h"

#include <algorithm>

#include "base/error.h"

namespace halo {

RunId RunTags::take() {
    ++serial_;
    for (size_t i = 0; i < used_.size(); ++i) {
        const size_t at = (serial_ + i) % used_.size();
        if (used_[at]) continue;
        used_[at] = true;
        return { *this, serial_, first_run_tag + static_cast<int32_t>(at) };
    }
    fail(HALO_ERR_STATE, "%zu exchanges, aggregated groups and reductions exist in this context, and that is the most: destroy some", used_.size());
}

bool ChannelTags::room_at(int64_t first, int64_t n) const {
    const auto above = used_.lower_bound(first);
    if (above != used_.end() && above->first < first + n) return false;
    return above == used_.begin() || std::prev(above)->second <= first;
}

int64_t ChannelTags::find(int64_t n) const {
    const int64_t there_are = per_lane_ * (lanes_ - 1);
    int64_t first = next_ + n <= there_are && room_at(next_, n) ? next_ : -1;
    if (first < 0 && n <= there_are && room_at(0, n)) first = 0;
    for (auto range = used_.begin(); first < 0 && range != used_.end(); ++range)
        if (range->second + n <= there_are && room_at(range->second, n)) first = range->second;
    return first >= 0 ? first : used_.empty() ? 0 : used_.rbegin()->second;
}

void ChannelTags::take(int64_t first, int64_t n) {
    used_.emplace(first, first + n);
    lanes_ = std::max(lanes_, lanes_of(first, n));
    next_ = first + n;
}

} // namespace halo
