// SPDX-License-Identifier: BSD-3-Clause
#include "field/interior.h"

#include <algorithm>

namespace halo {

// Slabs are cut off from the slowest direction inwards, so that the largest ones are contiguous in memory.
InteriorRim split_interior(const Extent &cells, int32_t n_dims, int32_t reach) {
    InteriorRim split;
    split.interior = { { 0, 0, 0 }, { cells[0], cells[1], cells[2] } };
    for (int d = n_dims - 1; d >= 0 && reach > 0; --d) {
        const int64_t low = std::min<int64_t>(reach, cells[d]);
        const int64_t high = std::max<int64_t>(low, cells[d] - reach);
        halo_box slab = split.interior;
        slab.high[d] = low;
        split.rim[split.n_rim++] = slab;
        if (high < cells[d]) {
            slab = split.interior;
            slab.low[d] = high;
            split.rim[split.n_rim++] = slab;
        }
        split.interior.low[d] = low;
        split.interior.high[d] = high;
        if (low == high) // nothing is left inside
            break;
    }
    return split;
}

} // namespace halo
