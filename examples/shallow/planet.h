// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace shallow {

/// The earth of D. Williamson et al., "A Standard Test Set for Numerical Approximations to the Shallow Water Equations in Spherical Geometry", 1992.
constexpr double radius = 6.37122e6;  // m
constexpr double gravity = 9.80616;   // m / s^2
constexpr double rotation = 7.292e-5; // 1 / s
constexpr double day = 86400;         // s

} // namespace shallow
