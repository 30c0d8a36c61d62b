// SPDX-License-Identifier: BSD-3-Clause
// The Morton curve through a grid of any extents: place on the curve <-> coordinates, in O(log extent) and without tables.
#pragma once

#include <cstdint>

#include "topology/topology.h"

namespace halo {

int64_t morton_place(const Extent &coordinates, const Extent &extents);
Extent morton_coordinates(int64_t place, const Extent &extents);

} // namespace halo
