// SPDX-License-Identifier: BSD-3-Clause
// Grids of quadrilaterals on the sphere.
#pragma once

#include <memory>

#include "halo_sphere.h"
#include "topology/topology.h"

namespace halo {

// All collective.
std::unique_ptr<Topology> make_cubed_sphere(Context &context, const halo_cubed_sphere_desc &desc);
std::unique_ptr<Topology> make_latitudes(Context &context, const halo_latitudes_desc &desc);
std::unique_ptr<Topology> make_reduced_rows(Context &context, const halo_reduced_rows_desc &desc);

} // namespace halo
