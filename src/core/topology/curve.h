// SPDX-License-Identifier: BSD-3-Clause
// The Morton curve through a grid of any extents: place on the curve <-> coordinates, in O(log extent) and without tables.
#pragma once

#include <cstdint>

#include "topology/edge.h"

namespace halo {

int64_t morton_place(const Extent &coordinates, const Extent &extents);
Extent morton_coordinates(int64_t place, const Extent &extents);

// Bits of three coordinates in turn, x lowest: the place in a grid that is a cube of a power of two. Of each the lowest 21 bits count.
uint64_t morton_code(const Extent &coordinates);

} // namespace halo
