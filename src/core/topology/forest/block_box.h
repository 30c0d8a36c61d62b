// SPDX-License-Identifier: BSD-3-Clause
// Boxes of points in the index space of a block, and in that of the block across one of its elements.
#pragma once

#include "topology/edge.h"

namespace halo {

inline halo_box whole_block(const Extent &cells) { return { { 0, 0, 0 }, { cells[0], cells[1], cells[2] } }; }

// A box of points as the block across an element has it, both of `cells` cells. `centring`: as the asking block has it.
halo_box box_across(const halo_box &box, int32_t element, const AxisMap &map, const Extent &cells, Centring centring = HALO_CENTRE_CELL);
// And as the asking block has one of that block's.
halo_box box_from_across(const halo_box &there, int32_t element, const AxisMap &map, const Extent &cells, Centring centring = HALO_CENTRE_CELL);

} // namespace halo
