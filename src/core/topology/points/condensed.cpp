// SPDX-License-Identifier: BSD-3-Clause
#include "topology/points/condensed.h"

#include <algorithm>

namespace halo {

namespace {

// Of a rank's copies all give, or none: they lie in one part.
std::vector<HolderRun> with_one_copy(std::span<const HolderRun> holders) {
    std::vector<HolderRun> runs;
    for (const HolderRun &run : holders) runs.push_back({ run.first, run.n_ranks, 1, run.silent == run.copies ? 1u : 0u });
    return runs;
}

} // namespace

CondensedPoints::CondensedPoints(const PointsTopology &points) : PointsTopology(points.context()) {
    const SharedPoints &all = points.shared();
    std::vector<int64_t> here; // in no particular order there
    for (int64_t i = 0; i < all.size(); ++i) {
        if (all.owner(i) < 0) continue;
        const auto holders = all.holders(i);
        if (holders.size() == 1 && holders[0].n_ranks == 1) {
            here.push_back(i);
            continue;
        }
        const auto number = static_cast<uint32_t>(ends_.size());
        shared_.add(all.owner(i), { &number, 1 }, with_one_copy(holders));
        add(all.copies(i));
    }
    std::ranges::sort(here, {}, [&](int64_t i) { return all.copies(i)[0]; });
    for (const int64_t i : here) add(all.copies(i));
    n_points_ = std::ssize(ends_);
}

void CondensedPoints::add(std::span<const uint32_t> copies) {
    copies_.insert(copies_.end(), copies.begin(), copies.end());
    ends_.push_back(static_cast<uint32_t>(copies_.size()));
}

} // namespace halo
