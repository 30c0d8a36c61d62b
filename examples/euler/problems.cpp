// SPDX-License-Identifier: BSD-3-Clause
#include "problems.h"

#include <cmath>
#include <numbers>

namespace euler {

namespace {

double distance(const Point &a, const Point &b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

Point centre(const Parameters &p) {
    const double half = 0.5 * p.cell_size();
    return { half * static_cast<double>(p.cells[0]), half * static_cast<double>(p.cells[1]), half * static_cast<double>(p.cells[2]) };
}

Primitive sod(const Parameters &p, const Point &at) {
    const auto &side = at[p.direction] < centre(p)[p.direction] ? sod_left : sod_right;
    return { side.density, { 0, 0, 0 }, side.pressure };
}

/// A ball of hot gas in a cold one; all of it drifts, so that tracers leave blocks behind as well as enter new ones.
Primitive blast(const Parameters &p, const Point &at) {
    const double radius = 0.1 * p.length;
    const double pressure = distance(at, centre(p)) < radius ? 10.0 : 0.1;
    return { 1.0, { 0.4, 0.2, 0.0 }, pressure };
}

} // namespace

Primitive initial_gas(const Parameters &p, const Point &at) { return p.problem == "sod" ? sod(p, at) : blast(p, at); }

/// Smooth blobs, exactly zero outside their radius, on a circle around the middle of the grid.
double initial_concentration(const Parameters &p, int tracer, const Point &at) {
    const double angle = (0.25 + 0.5 * tracer) * std::numbers::pi;
    const auto middle = centre(p);
    const Point blob = { middle[0] + 0.23 * p.length * std::cos(angle), middle[1] + 0.23 * p.length * std::sin(angle), middle[2] };
    const double radius = 0.11 * p.length, r = distance(at, blob) / radius;
    return r < 1 ? std::pow(std::cos(0.5 * std::numbers::pi * r), 2) : 0.0;
}

} // namespace euler
