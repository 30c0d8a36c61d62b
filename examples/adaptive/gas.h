// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

/// An ideal gas in two dimensions: density, momentum along x and y, energy.
namespace adaptive {

inline constexpr int n_values = 4;
inline constexpr double gamma = 1.4;
using State = std::array<double, n_values>;

inline double pressure(const State &u) { return (gamma - 1) * (u[3] - 0.5 * (u[1] * u[1] + u[2] * u[2]) / u[0]); }
inline double fastest(const State &u, int direction) {
    return std::abs(u[static_cast<std::size_t>(1 + direction)] / u[0]) + std::sqrt(gamma * pressure(u) / u[0]);
}

inline State flux_of(const State &u, int direction) {
    const auto along = static_cast<std::size_t>(1 + direction);
    const double speed = u[along] / u[0], p = pressure(u);
    State flux{ u[along], u[1] * speed, u[2] * speed, (u[3] + p) * speed };
    flux[along] += p;
    return flux;
}

/// V. Rusanov, "The calculation of the interaction of non-stationary shock waves and obstacles", 1961.
inline State rusanov(const State &left, const State &right, int direction) {
    const State from_left = flux_of(left, direction), from_right = flux_of(right, direction);
    const double speed = std::max(fastest(left, direction), fastest(right, direction));
    State flux;
    for (std::size_t i = 0; i < n_values; ++i) flux[i] = 0.5 * (from_left[i] + from_right[i]) - 0.5 * speed * (right[i] - left[i]);
    return flux;
}

inline double minmod(double a, double b) { return a * b <= 0 ? 0 : std::abs(a) < std::abs(b) ? a : b; }

/// At the face between b and c, of cells a, b, c, d in a row.
inline State face_flux(const State &a, const State &b, const State &c, const State &d, int direction) {
    State left, right;
    for (std::size_t i = 0; i < n_values; ++i) {
        left[i] = b[i] + 0.5 * minmod(b[i] - a[i], c[i] - b[i]);
        right[i] = c[i] - 0.5 * minmod(c[i] - b[i], d[i] - c[i]);
    }
    return rusanov(left, right, direction);
}

} // namespace adaptive
