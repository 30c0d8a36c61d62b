// SPDX-License-Identifier: BSD-3-Clause
#include "topology/points/condensed.h"

#include <algorithm>

namespace halo {

namespace {

uint32_t silent_on(std::span<const HolderRun> holders, int32_t rank) {
    return std::ranges::find_if(holders, [&](const HolderRun &run) { return run.has(rank); })->silent;
}

std::vector<HolderRun> with_one_copy(std::span<const HolderRun> holders) {
    std::vector<HolderRun> runs;
    for (const HolderRun &run : holders) runs.push_back({ run.first, run.n_ranks, 1, run.silent == run.copies ? 1u : 0u });
    return runs;
}

} // namespace

CondensedPoints::CondensedPoints(const PointsTopology &points) : PointsTopology(points.context()) {
    const SharedPoints &all = points.shared();
    const int32_t rank = context_.rank();
    std::vector<int64_t> here; // in no particular order there
    bool any_silent = false;
    for (int64_t i = 0; i < all.size(); ++i) {
        if (all.owner(i) < 0) continue;
        const auto holders = all.holders(i);
        const uint32_t silent = silent_on(holders, rank);
        any_silent = any_silent || silent > 0;
        if (holders.size() == 1 && holders[0].n_ranks == 1) {
            here.push_back(i);
            continue;
        }
        const auto number = static_cast<uint32_t>(ends_.size());
        shared_.add(all.owner(i), { &number, 1 }, with_one_copy(holders));
        add(all.copies(i), silent);
    }
    std::ranges::sort(here, {}, [&](int64_t i) { return all.copies(i)[0]; });
    for (const int64_t i : here) add(all.copies(i), silent_on(all.holders(i), rank));
    if (!any_silent) n_giving_ = {};
    n_points_ = std::ssize(ends_);
}

void CondensedPoints::add(std::span<const uint32_t> copies, uint32_t silent) {
    copies_.insert(copies_.end(), copies.begin(), copies.end());
    ends_.push_back(static_cast<uint32_t>(copies_.size()));
    n_giving_.push_back(static_cast<uint32_t>(copies.size()) - silent);
}

} // namespace halo
