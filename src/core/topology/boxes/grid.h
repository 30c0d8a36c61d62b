// SPDX-License-Identifier: BSD-3-Clause
// Do boxes fill a domain as a grid does?
#pragma once

#include <string>
#include <vector>

#include "topology/boxes/placed_box.h"

namespace halo {

// In words why they do not, naming boxes; empty: they do. `shared`: across each border of the grid one side must own the points on it all along, too.
std::string why_no_grid(std::vector<PlacedBox> boxes, const halo_box &domain, const Extent &period, bool shared);

} // namespace halo
