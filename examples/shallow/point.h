// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>

namespace shallow {

/// A place or a direction in space.
using Point = std::array<double, 3>;

inline Point operator+(const Point &a, const Point &b) { return { a[0] + b[0], a[1] + b[1], a[2] + b[2] }; }
inline Point operator-(const Point &a, const Point &b) { return { a[0] - b[0], a[1] - b[1], a[2] - b[2] }; }
inline Point operator*(double factor, const Point &a) { return { factor * a[0], factor * a[1], factor * a[2] }; }
inline double dot(const Point &a, const Point &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Point cross(const Point &a, const Point &b) { return { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] }; }
inline double length(const Point &a) { return std::sqrt(dot(a, a)); }
inline Point unit(const Point &a) { return (1 / length(a)) * a; }
/// What of `a` lies along the sphere at `place`.
inline Point tangent(const Point &a, const Point &place) { return a - dot(a, place) * place; }

} // namespace shallow
