// SPDX-License-Identifier: BSD-3-Clause
// A box cut into a grid of boxes.
#pragma once

#include <vector>

#include "topology/edge.h"

namespace halo {

// Boxes per direction, `n` in all, with the least surface between them; none is empty. Fails where there are fewer cells than that asks for.
Extent choose_grid(const Extent &cells, int64_t n);
// Boxes of a grid, x fastest; extents differ by one cell at most.
std::vector<halo_box> cut_into_grid(const halo_box &domain, const Extent &grid);

} // namespace halo
