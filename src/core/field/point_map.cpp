// SPDX-License-Identifier: BSD-3-Clause
#include "field/point_map.h"

#include <algorithm>

#include "base/digest.h"
#include "base/error.h"

namespace halo {

PointMap::PointMap(const halo_box &points, std::span<const int64_t> positions, const std::string &what)
    : points_(points),
      positions_(positions.size(), nowhere) {
    for (size_t d = 0; d < 3; ++d) size_[d] = points.high[d] - points.low[d];
    const int64_t farthest = positions.empty() ? -1 : *std::max_element(positions.begin(), positions.end());
    if (farthest >= nowhere)
        fail(HALO_ERR_BOUNDS, "%s: position %lld is beyond the last possible one, %u", what.c_str(), static_cast<long long>(farthest), nowhere - 1);
    n_positions_ = std::max<int64_t>(farthest + 1, 0);
    std::vector<bool> taken(static_cast<size_t>(n_positions_));
    for (size_t i = 0; i < positions.size(); ++i) {
        hash_ = Digest::mix(hash_ ^ static_cast<uint64_t>(positions[i] + 2)) + 1;
        if (positions[i] < 0) continue;
        if (taken[static_cast<size_t>(positions[i])]) {
            const auto other = std::find(positions.begin(), positions.end(), positions[i]) - positions.begin();
            fail(HALO_ERR_ARGUMENT, "%s: points %lld and %zu are both at position %lld", what.c_str(), static_cast<long long>(other), i,
                 static_cast<long long>(positions[i]));
        }
        taken[static_cast<size_t>(positions[i])] = true;
        positions_[i] = static_cast<uint32_t>(positions[i]);
    }
}

const PointMap::Mapped &PointMap::mapped(const Region &region) {
    const Key key{ region.listed ? region.points.data() : nullptr, region.listed ? 0 : region.box.low[0], region.size() };
    const auto [found, is_new] = known_.try_emplace(key);
    Known &known = found->second;
    if (!is_new) return known.mapped;
    try {
        fill(known, region);
    } catch (...) {
        known_.erase(found);
        throw;
    }
    return known.mapped;
}

void PointMap::fill(Known &known, const Region &region) const {
    for (int64_t i = 0; i < region.size(); ++i) {
        const int64_t point = region.listed ? region.points[static_cast<size_t>(i)] : region.box.low[0] + i;
        if (const int64_t at = position({ point, 0, 0 }); at >= 0)
            known.list.push_back(static_cast<uint32_t>(at));
        else
            known.mapped.pattern = Digest::mix(known.mapped.pattern ^ static_cast<uint64_t>(i + 1)) | 1;
    }
    const auto n = std::ssize(known.list);
    known.mapped.region = { { { 0, 0, 0 }, { n, 1, 1 } }, known.list, true };
}

bool PointMap::operator==(const PointMap &other) const { return hash_ == other.hash_ && size_ == other.size_ && positions_ == other.positions_; }

Extent PointMap::Turned::point(int32_t x, int32_t y, int32_t z) const {
    Extent point{ first[0], first[1], first[2] };
    const std::array<int32_t, 3> steps{ x, y, z };
    for (size_t d = 0; d < 3; ++d) point[static_cast<size_t>(axis[d])] += int64_t{ sign[d] } * steps[d];
    return point;
}

bool PointMap::Turned::operator<(const Turned &other) const {
    return std::tie(first, axis, sign, n) < std::tie(other.first, other.axis, other.sign, other.n);
}

namespace {

template <class Visit>
void for_each_point(const PointMap::Turned &box, Visit &&visit) {
    for (int32_t z = 0; z < box.n[2]; ++z)
        for (int32_t y = 0; y < box.n[1]; ++y)
            for (int32_t x = 0; x < box.n[0]; ++x) visit(box.point(x, y, z));
}

} // namespace

const std::vector<uint32_t> &PointMap::positions(const Turned &box) {
    if (const auto known = known_boxes_.find(box); known != known_boxes_.end()) return known->second;
    std::vector<uint32_t> list;
    for_each_point(box, [&](const Extent &point) { list.push_back(static_cast<uint32_t>(position(point))); });
    return known_boxes_.emplace(box, std::move(list)).first->second;
}

std::optional<Extent> PointMap::first_without(const Turned &box) const {
    std::optional<Extent> first;
    for_each_point(box, [&](const Extent &point) {
        if (!first && position(point) < 0) first = point;
    });
    return first;
}

} // namespace halo
