// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/box_locator.h"

#include <algorithm>

namespace halo {

void BoxLocator::begin_part(int64_t gid) {
    gid_ = gid;
    origin_ = boxes_.box_of(gid).origin();
    known_.clear();
}

const PlacedBox *BoxLocator::known(const Extent &point) const {
    for (const PlacedBox &box : known_)
        if (has(box.cells, point)) return &box;
    return nullptr;
}

Landing BoxLocator::find(int64_t gid, const CellPosition &at) {
    if (gid != gid_) begin_part(gid);
    Extent point;
    for (size_t d = 0; d < 3; ++d) point[d] = origin_[d] + at.cell[d];
    const PlacedBox *owner = known(point);
    if (!owner) {
        found_.clear();
        boxes_.boxes_near({ { point[0], point[1], point[2] }, { point[0] + 1, point[1] + 1, point[2] + 1 } }, found_);
        if (found_.empty()) return {};
        owner = &*std::min_element(found_.begin(), found_.end(), precedes);
        if (known_.size() == most_known) known_.clear();
        if (disjoint_) known_.push_back(*owner);
    }
    Landing landing{ owner->gid, at, {} };
    for (size_t d = 0; d < 3; ++d) landing.at.cell[d] = point[d] - owner->cells.low[d];
    return landing;
}

} // namespace halo
