// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/box_set.h"

#include <algorithm>

#include "base/error.h"
#include "topology/boxes/box_calculus.h"

namespace halo {

namespace {

constexpr size_t leaf_boxes = 8;

halo_box enclosing(const halo_box &a, const halo_box &b) {
    halo_box both;
    for (int d = 0; d < 3; ++d) {
        both.low[d] = std::min(a.low[d], b.low[d]);
        both.high[d] = std::max(a.high[d], b.high[d]);
    }
    return both;
}

int64_t middle(const halo_box &box, int d) { return box.low[d] + (box.high[d] - box.low[d]) / 2; }

} // namespace

BoxSet::BoxSet(std::vector<PlacedBox> boxes, const Extent &period) : boxes_(std::move(boxes)), period_(period), order_(boxes_.size()) {
    for (size_t i = 0; i < order_.size(); ++i) order_[i] = i;
    nodes_.reserve(boxes_.size() / (leaf_boxes / 4) + 1);
    if (!boxes_.empty()) build(0, boxes_.size());
}

// Halves along the direction in which the middles of the boxes lie farthest apart.
size_t BoxSet::build(size_t first, size_t n) {
    const size_t number = nodes_.size();
    halo_box bounds = boxes_[order_[first]].cells;
    halo_box middles{ { INT64_MAX, INT64_MAX, INT64_MAX }, { INT64_MIN, INT64_MIN, INT64_MIN } };
    for (size_t i = first; i < first + n; ++i) {
        const halo_box &cells = boxes_[order_[i]].cells;
        bounds = enclosing(bounds, cells);
        for (int d = 0; d < 3; ++d) {
            middles.low[d] = std::min(middles.low[d], middle(cells, d));
            middles.high[d] = std::max(middles.high[d], middle(cells, d));
        }
    }
    nodes_.push_back({ bounds, first, n });
    if (n <= leaf_boxes) return number;
    int widest = 0;
    for (int d = 1; d < 3; ++d)
        if (middles.high[d] - middles.low[d] > middles.high[widest] - middles.low[widest]) widest = d;
    const auto begin = order_.begin() + static_cast<std::ptrdiff_t>(first);
    std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(n / 2), begin + static_cast<std::ptrdiff_t>(n),
                     [&](size_t a, size_t b) { return middle(boxes_[a].cells, widest) < middle(boxes_[b].cells, widest); });
    build(first, n / 2);
    const size_t right = build(first + n / 2, n - n / 2);
    nodes_[number].right = right;
    return number;
}

void BoxSet::search(const halo_box &region, const Extent &shift, std::vector<PlacedBox> &found) const {
    std::vector<size_t> open{ 0 };
    while (!open.empty()) {
        const size_t number = open.back();
        const Node &node = nodes_[number];
        open.pop_back();
        if (!meet(node.bounds, region)) continue;
        if (node.right != 0) {
            open.push_back(number + 1);
            open.push_back(node.right);
            continue;
        }
        for (size_t i = node.first; i < node.first + node.n; ++i) {
            PlacedBox box = boxes_[order_[i]];
            if (!meet(box.cells, region)) continue;
            box.cells = shifted(box.cells, shift);
            box.shift = shift;
            found.push_back(box);
        }
    }
}

void BoxSet::boxes_near(const halo_box &region, std::vector<PlacedBox> &found) const {
    if (boxes_.empty()) return;
    const halo_box &bounds = nodes_[0].bounds;
    Extent first{};
    Extent last{};
    for (int d = 0; d < 3; ++d) {
        if (period_[d] == 0) continue;
        first[d] = floor_divide(region.low[d] - bounds.high[d], period_[d]) + 1;
        last[d] = floor_divide(region.high[d] - bounds.low[d] - 1, period_[d]);
    }
    for (int64_t z = first[2]; z <= last[2]; ++z)
        for (int64_t y = first[1]; y <= last[1]; ++y)
            for (int64_t x = first[0]; x <= last[0]; ++x) {
                const Extent shift{ x * period_[0], y * period_[1], z * period_[2] };
                search(relative(region, shift), shift, found);
            }
}

const PlacedBox *BoxSet::find(int64_t gid) const {
    const auto place = std::lower_bound(boxes_.begin(), boxes_.end(), gid, [](const PlacedBox &box, int64_t wanted) { return box.gid < wanted; });
    return place != boxes_.end() && place->gid == gid ? &*place : nullptr;
}

PlacedBox BoxSet::box_of(int64_t gid) const {
    const PlacedBox *box = find(gid);
    if (!box)
        fail(HALO_ERR_NOT_FOUND, "boxes: part %lld does not exist, or lies too far from this rank's parts to be known here",
             static_cast<long long>(gid));
    return *box;
}

} // namespace halo
