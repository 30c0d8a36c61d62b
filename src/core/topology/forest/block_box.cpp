// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/block_box.h"

namespace halo {

halo_box box_across(const halo_box &box, int32_t element, const AxisMap &map, const Extent &cells, Centring centring) {
    const ElementOffset offset = element_offset(element);
    halo_box there;
    for (size_t d = 0; d < 3; ++d) {
        const auto a = static_cast<size_t>(map.axis[d]);
        const int64_t n = points(cells[d], centring, static_cast<int>(d));
        const int64_t low = box.low[d] - offset[d] * cells[d];
        const int64_t high = box.high[d] - offset[d] * cells[d];
        there.low[a] = map.sign[d] > 0 ? low : n - high;
        there.high[a] = map.sign[d] > 0 ? high : n - low;
    }
    return there;
}

halo_box box_from_across(const halo_box &there, int32_t element, const AxisMap &map, const Extent &cells, Centring centring) {
    const ElementOffset offset = element_offset(element);
    halo_box box;
    for (size_t d = 0; d < 3; ++d) {
        const auto a = static_cast<size_t>(map.axis[d]);
        const int64_t n = points(cells[d], centring, static_cast<int>(d));
        box.low[d] = (map.sign[d] > 0 ? there.low[a] : n - there.high[a]) + offset[d] * cells[d];
        box.high[d] = (map.sign[d] > 0 ? there.high[a] : n - there.low[a]) + offset[d] * cells[d];
    }
    return box;
}

} // namespace halo
