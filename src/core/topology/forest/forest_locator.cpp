// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/forest_locator.h"

#include <utility>

#include "base/error.h"

namespace halo {

namespace {

constexpr int most_crossed = 4096; // sides that one position is tried to be behind

int64_t modulo(int64_t a, int64_t n) { return a % n < 0 ? a % n + n : a % n; }

} // namespace

int64_t ForestLocator::cells_of_tree(const Spot &spot, size_t d) const {
    const int64_t blocks = leaves_.trees().n_roots(spot.tree)[d] << (static_cast<int>(d) < leaves_.trees().n_dims() ? spot.level : 0);
    return blocks * n_cells_[d];
}

// Behind one side. What is joined to itself without a turn is a period, of which there may be many.
bool ForestLocator::cross(Spot &spot, int d) const {
    const auto across = static_cast<size_t>(d);
    const bool up = spot.at.cell[across] >= 0;
    int32_t to = -1;
    AxisMap map;
    if (!leaves_.trees().behind(spot.tree, 2 * d + (up ? 1 : 0), to, map)) return false;
    if (to == spot.tree && map.is_identity()) {
        spot.at.cell[across] = modulo(spot.at.cell[across], cells_of_tree(spot, across));
        return true;
    }
    Spot there{ to, spot.level, {}, spot.map.then(map) };
    for (size_t e = 0; e < 3; ++e) {
        const auto along = static_cast<size_t>(map.axis[e]);
        const int64_t here = cells_of_tree(spot, e);
        CellPosition one = spot.at;
        if (e == across && up) one.cell[e] -= here; // counted from the side that it goes out of
        if (map.sign[e] < 0) one.turn(e, e == across ? 0 : here);
        const bool from_above = e == across && up == (map.sign[e] < 0);
        there.at.cell[along] = one.cell[e] + (from_above ? cells_of_tree(there, along) : 0);
        there.at.within[along] = one.within[e];
    }
    spot = there;
    return true;
}

bool ForestLocator::enter(Spot &spot) {
    bool inside = true;
    for (int d = 0; d < leaves_.trees().n_dims(); ++d) {
        if (is_in(spot, static_cast<size_t>(d))) continue;
        inside = false;
        if (++n_crossed_ > most_crossed) fail(HALO_ERR_LIMIT, "a position lies behind more than %d sides of trees", most_crossed);
        Spot next = spot;
        if (!cross(next, d) || !enter(next)) continue;
        spot = next;
        return true;
    }
    return inside;
}

TreeBlock ForestLocator::block_of(const Spot &spot) const {
    TreeBlock block{ spot.tree, spot.level, {} };
    for (size_t d = 0; d < 3; ++d) block.at[d] = spot.at.cell[d] / n_cells_[d];
    return block;
}

void ForestLocator::coarsen(Spot &spot, int32_t level) const {
    for (; spot.level > level; --spot.level)
        for (size_t d = 0; d < static_cast<size_t>(leaves_.trees().n_dims()); ++d) {
            const int64_t upper = spot.at.cell[d] & 1;
            spot.at.within[d] = std::min((static_cast<double>(upper) + spot.at.within[d]) / 2, CellPosition::below_one);
            spot.at.cell[d] >>= 1;
        }
}

void ForestLocator::refine(Spot &spot) const {
    ++spot.level;
    for (size_t d = 0; d < static_cast<size_t>(leaves_.trees().n_dims()); ++d) {
        const double twice = 2 * spot.at.within[d];
        const bool upper = twice >= 1;
        spot.at.cell[d] = 2 * spot.at.cell[d] + (upper ? 1 : 0);
        spot.at.within[d] = upper ? twice - 1 : twice;
    }
}

// Trees are covered by leaves: if none lies at the position's level or above, one does below.
int64_t ForestLocator::descend(Spot &spot) const {
    const TreeBlock block = block_of(spot);
    for (int32_t level = spot.level; level >= 0; --level)
        if (const int64_t gid = leaves_.find(ancestor(block, level)); gid >= 0) {
            coarsen(spot, level);
            return gid;
        }
    for (;;) {
        refine(spot);
        if (const int64_t gid = leaves_.find(block_of(spot)); gid >= 0) return gid;
    }
}

Landing ForestLocator::find(int64_t gid, const CellPosition &at) {
    const TreeBlock &from = leaves_[gid];
    Spot spot{ from.tree, from.level, at, {} };
    for (size_t d = 0; d < 3; ++d) spot.at.cell[d] += from.at[d] * n_cells_[d];
    n_crossed_ = 0;
    if (!enter(spot)) return {};
    Landing landing{ descend(spot), {}, spot.map };
    landing.at = spot.at;
    for (size_t d = 0; d < 3; ++d) landing.at.cell[d] -= leaves_[landing.gid].at[d] * n_cells_[d];
    return landing;
}

} // namespace halo
