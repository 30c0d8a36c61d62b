// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/box_locator.h"

#include <algorithm>

namespace halo {

Landing BoxLocator::find(int64_t gid, const CellPosition &at) {
    const Extent origin = boxes_.box_of(gid).origin();
    halo_box cell;
    for (size_t d = 0; d < 3; ++d) {
        cell.low[d] = origin[d] + at.cell[d];
        cell.high[d] = cell.low[d] + 1;
    }
    found_.clear();
    boxes_.boxes_near(cell, found_);
    if (found_.empty()) return {};
    const PlacedBox &owner = *std::min_element(found_.begin(), found_.end(), precedes);
    Landing landing{ owner.gid, at, {} };
    for (size_t d = 0; d < 3; ++d) landing.at.cell[d] = cell.low[d] - owner.cells.low[d];
    return landing;
}

} // namespace halo
