// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver.h"

namespace shallow {

/// The axis of the planet in case 2: between a vertex and the middle of a triangle, so that nothing in the flow follows the grid.
Point tilted_axis();

/// Williamson's case 2: a flow around the axis that does not change.
State steady_flow(const Point &axis, const Point &place);

/// Case 6: a wave of wavenumber 4 around the axis (0, 0, 1), which moves eastwards (B. Haurwitz, 1940).
State rossby_wave(const Point &place);

} // namespace shallow
