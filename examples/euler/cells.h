// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halo.h>

namespace euler {

/// visit(i, j, k) for every cell of a box, in the order of memory.
template <class Visit>
void for_cells(const halo_box &box, Visit visit) {
    for (auto k = box.low[2]; k < box.high[2]; ++k)
        for (auto j = box.low[1]; j < box.high[1]; ++j)
            for (auto i = box.low[0]; i < box.high[0]; ++i) visit(i, j, k);
}

} // namespace euler
