// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/box_set.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/error.h"
#include "topology/boxes/box_calculus.h"
#include "topology/curve.h"

namespace halo {

namespace {

constexpr size_t node_size = 8;

int64_t middle(const halo_box &box, int d) { return box.low[d] + (box.high[d] - box.low[d]) / 2; }

// Places of boxes on the Morton curve of their middles, as fine as its bits allow.
std::vector<uint64_t> places_on_curve(const std::vector<PlacedBox> &boxes, const halo_box &bounds) {
    constexpr int most_bits = 21;
    uint64_t widest = 0;
    for (int d = 0; d < 3; ++d) widest = std::max(widest, static_cast<uint64_t>(bounds.high[d] - bounds.low[d]));
    const int dropped = std::max(static_cast<int>(std::bit_width(widest)) - most_bits, 0);
    std::vector<uint64_t> places;
    places.reserve(boxes.size());
    for (const PlacedBox &box : boxes) {
        Extent at;
        for (int d = 0; d < 3; ++d) at[d] = (middle(box.cells, d) - bounds.low[d]) >> dropped;
        places.push_back(morton_code(at));
    }
    return places;
}

// What encloses eight boxes each.
std::vector<halo_box> nodes_over(const std::vector<halo_box> &below) {
    std::vector<halo_box> nodes;
    nodes.reserve((below.size() + node_size - 1) / node_size);
    for (size_t i = 0; i < below.size(); ++i) {
        if (i % node_size == 0) nodes.push_back(below[i]);
        nodes.back() = hull(nodes.back(), below[i]);
    }
    return nodes;
}

} // namespace

BoxSet::BoxSet(const std::vector<PlacedBox> &boxes, const Extent &period) : period_(period), order_(boxes.size()) {
    if (boxes.empty()) return;
    bounds_ = boxes[0].cells;
    for (const PlacedBox &box : boxes) bounds_ = hull(bounds_, box.cells);
    order_along_curve(boxes);
    boxes_.reserve(boxes.size());
    for (const PlacedBox &box : boxes) boxes_.push_back({ box.gid, box.rank, box.priority, 0 });
    levels_.emplace_back().reserve(boxes.size());
    for (uint32_t place = 0; place < order_.size(); ++place) {
        boxes_[order_[place]].place = place;
        levels_[0].push_back(boxes[order_[place]].cells);
    }
    while (levels_.back().size() > node_size) levels_.push_back(nodes_over(levels_.back()));
}

void BoxSet::order_along_curve(const std::vector<PlacedBox> &boxes) {
    std::iota(order_.begin(), order_.end(), 0u);
    const std::vector<uint64_t> places = places_on_curve(boxes, bounds_);
    if (std::is_sorted(places.begin(), places.end())) return;
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return places[a] < places[b]; });
}

void BoxSet::search(size_t level, size_t first, size_t end, const halo_box &region, const Extent &shift, std::vector<PlacedBox> &found) const {
    for (size_t i = first; i < end; ++i) {
        if (!meet(levels_[level][i], region)) continue;
        if (level > 0) {
            const size_t begin_below = i * node_size;
            search(level - 1, begin_below, std::min(begin_below + node_size, levels_[level - 1].size()), region, shift, found);
            continue;
        }
        found.push_back(placed(boxes_[order_[i]]));
        found.back().cells = shifted(found.back().cells, shift);
        found.back().shift = shift;
    }
}

void BoxSet::boxes_near(const halo_box &region, std::vector<PlacedBox> &found) const {
    if (boxes_.empty()) return;
    Extent first{};
    Extent last{};
    for (int d = 0; d < 3; ++d) {
        if (period_[d] == 0) continue;
        first[d] = floor_divide(region.low[d] - bounds_.high[d], period_[d]) + 1;
        last[d] = floor_divide(region.high[d] - bounds_.low[d] - 1, period_[d]);
    }
    for (int64_t z = first[2]; z <= last[2]; ++z)
        for (int64_t y = first[1]; y <= last[1]; ++y)
            for (int64_t x = first[0]; x <= last[0]; ++x) {
                const Extent shift{ x * period_[0], y * period_[1], z * period_[2] };
                search(levels_.size() - 1, 0, levels_.back().size(), relative(region, shift), shift, found);
            }
}

// Where all boxes are known, their numbers are their gids.
PlacedBox BoxSet::box_of(int64_t gid) const {
    if (gid >= 0 && gid < std::ssize(boxes_) && boxes_[static_cast<size_t>(gid)].gid == gid) return placed(boxes_[static_cast<size_t>(gid)]);
    const auto box = std::lower_bound(boxes_.begin(), boxes_.end(), gid, [](const Box &one, int64_t wanted) { return one.gid < wanted; });
    if (box == boxes_.end() || box->gid != gid)
        fail(HALO_ERR_NOT_FOUND, "boxes: part %lld does not exist, or lies too far from this rank's parts to be known here",
             static_cast<long long>(gid));
    return placed(*box);
}

} // namespace halo
