/* SPDX-License-Identifier: BSD-3-Clause */
/* Places and directions in space, for host and device. */
#ifndef SHALLOW_POINT_H
#define SHALLOW_POINT_H

#include "language.h"

#ifdef __cplusplus
#include <cmath>
#include <cstddef>

namespace shallow {
#endif

typedef struct Point {
    double at[3];
#ifdef __cplusplus
    double &operator[](std::size_t d) { return at[d]; }
    double operator[](std::size_t d) const { return at[d]; }
#endif
} Point;

FUNCTION Point point(double x, double y, double z) {
    Point made;
    made.at[0] = x;
    made.at[1] = y;
    made.at[2] = z;
    return made;
}
FUNCTION Point sum(Point a, Point b) { return point(a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2]); }
FUNCTION Point difference(Point a, Point b) { return point(a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]); }
FUNCTION Point scaled(double factor, Point a) { return point(factor * a.at[0], factor * a.at[1], factor * a.at[2]); }
FUNCTION double scalar_product(Point a, Point b) { return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2]; }
FUNCTION Point vector_product(Point a, Point b) {
    return point(a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2], a.at[0] * b.at[1] - a.at[1] * b.at[0]);
}
/* What of `a` lies along the sphere at `place`. */
FUNCTION Point tangent(Point a, Point place) { return difference(a, scaled(scalar_product(a, place), place)); }

#ifdef __cplusplus
inline Point operator+(const Point &a, const Point &b) { return sum(a, b); }
inline Point operator-(const Point &a, const Point &b) { return difference(a, b); }
inline Point operator*(double factor, const Point &a) { return scaled(factor, a); }
inline double length(const Point &a) { return std::sqrt(scalar_product(a, a)); }
inline Point unit(const Point &a) { return (1 / length(a)) * a; }

} // namespace shallow
#endif

#endif
