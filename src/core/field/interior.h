// SPDX-License-Identifier: BSD-3-Clause
// Cells of a part that can be computed before its ghosts are there, and the disjoint boxes around them that cannot.
#pragma once

#include "topology/topology.h"

namespace halo {

struct InteriorRim {
    halo_box interior; // empty where the part is too thin
    halo_box rim[6];
    int32_t n_rim = 0;
};

InteriorRim split_interior(const Extent &cells, int32_t n_dims, int32_t reach);

} // namespace halo
