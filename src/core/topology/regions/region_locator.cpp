// SPDX-License-Identifier: BSD-3-Clause
#include "topology/regions/region_locator.h"

namespace halo {

Landing RegionLocator::find(int64_t gid, const CellPosition &at) {
    Landing landing;
    regions_.for_each_filling(gid, [&](const Edge &join) {
        if (landing.gid >= 0 || !has(join.receive.box, at.cell)) return;
        landing.gid = join.send_gid;
        landing.map = join.map;
        for (size_t d = 0; d < 3; ++d) {
            const auto along = static_cast<size_t>(join.map.axis[d]);
            CellPosition one = at;
            one.cell[d] -= join.receive.box.low[d];
            if (join.map.sign[d] < 0) one.turn(d, join.receive.box.high[d] - join.receive.box.low[d]);
            landing.at.cell[along] = join.send.box.low[along] + one.cell[d];
            landing.at.within[along] = one.within[d];
        }
    });
    return landing;
}

} // namespace halo
