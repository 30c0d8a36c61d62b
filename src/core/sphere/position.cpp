// SPDX-License-Identifier: BSD-3-Clause
#include "sphere/position.h"

#include <cmath>

namespace halo {

namespace {

// Square roots are rounded alike everywhere, sines are not.
struct Circle {
    double x;
    double y;
};

// At 36 degrees times `tenth`.
Circle on_circle(int32_t tenth) {
    const double root = std::sqrt(5.0);
    const double c36 = (root + 1) / 4, c72 = (root - 1) / 4, s36 = std::sqrt(10 - 2 * root) / 4, s72 = std::sqrt(10 + 2 * root) / 4;
    const Circle quarter[] = { { 1, 0 }, { c36, s36 }, { c72, s72 }, { -c72, s72 }, { -c36, s36 }, { -1, 0 } };
    const int32_t place = tenth % 10;
    if (place <= 5) return quarter[place];
    return { quarter[10 - place].x, -quarter[10 - place].y };
}

constexpr SpherePosition north{ 0, 0, 1 }, south{ 0, 0, -1 };

// Of the icosahedron: at latitude atan(1/2), longitude 72 k degrees; and 36 degrees further east at -atan(1/2).
SpherePosition upper(int32_t k) {
    const Circle at = on_circle(2 * k);
    return { 2 / std::sqrt(5.0) * at.x, 2 / std::sqrt(5.0) * at.y, 1 / std::sqrt(5.0) };
}
SpherePosition lower(int32_t k) {
    const Circle at = on_circle(2 * k + 1);
    return { 2 / std::sqrt(5.0) * at.x, 2 / std::sqrt(5.0) * at.y, -1 / std::sqrt(5.0) };
}
// Of the octahedron: on the equator, at longitude 90 k degrees.
SpherePosition equator(int32_t k) {
    constexpr SpherePosition all[] = { { 1, 0, 0 }, { 0, 1, 0 }, { -1, 0, 0 }, { 0, -1, 0 } };
    return all[k % 4];
}

struct Corners {
    SpherePosition top;    // (0, 0)
    SpherePosition west;   // (n, 0)
    SpherePosition east;   // (0, n)
    SpherePosition bottom; // (n, n)
};

Corners corners_of(const SphereLattice &lattice, int32_t parallelogram) {
    const int32_t k = parallelogram % lattice.n_around();
    if (lattice.n_around() == 4) return { north, equator(k), equator(k + 1), south };
    if (parallelogram < lattice.n_around()) return { north, upper(k), upper(k + 1), lower(k) };
    return { upper(k + 1), lower(k), lower(k + 1), south };
}

} // namespace

SpherePosition sphere_position(const SphereLattice &lattice, const LatticePoint &point) {
    const Corners corners = corners_of(lattice, point.parallelogram);
    const int64_t side = 6 * lattice.n();
    const bool first = point.x + point.y <= side; // triangle
    const SpherePosition &apex = first ? corners.top : corners.bottom;
    const auto along_west = static_cast<double>(first ? point.x : side - point.y), along_east = static_cast<double>(first ? point.y : side - point.x);
    const double rest = static_cast<double>(side) - along_west - along_east;
    SpherePosition position{};
    double length = 0;
    for (size_t d = 0; d < 3; ++d) {
        position[d] = rest * apex[d] + along_west * corners.west[d] + along_east * corners.east[d];
        length += position[d] * position[d];
    }
    for (double &component : position) component /= std::sqrt(length);
    return position;
}

} // namespace halo
