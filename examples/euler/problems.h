// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gas.h"
#include "parameters.h"
#include "riemann.h"

#include <array>

namespace euler {

using Point = std::array<double, 3>;

/// The gas on both sides of the shock tube's middle (Sod, J. Comput. Phys. 27, 1978).
inline constexpr LineState sod_left = { 1.0, 0.0, 1.0 }, sod_right = { 0.125, 0.0, 0.1 };

/// Gas at time 0.
Primitive initial_gas(const Parameters &parameters, const Point &at);

/// Concentration of a tracer at time 0, between 0 and 1.
double initial_concentration(const Parameters &parameters, int tracer, const Point &at);

} // namespace euler
