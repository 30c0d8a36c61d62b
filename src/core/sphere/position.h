// SPDX-License-Identifier: BSD-3-Clause
// Where entities lie on the sphere.
#pragma once

#include "sphere/lattice.h"

namespace halo {

using SpherePosition = std::array<double, 3>;

// Each triangle of the solid is cut evenly, and projected from the centre of the sphere, whose radius is 1. x: longitude 0, z: north. The same bits
// on every rank.
SpherePosition sphere_position(const SphereLattice &lattice, const LatticePoint &point);

} // namespace halo
