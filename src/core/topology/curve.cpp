// SPDX-License-Identifier: BSD-3-Clause
// Cells outside the grid are skipped: descending from the smallest enclosing cube of a power of two, the octants before the wanted
// one contribute as many places as they share cells with the grid.
#include "topology/curve.h"

#include <algorithm>

namespace halo {

namespace {

int64_t enclosing_cube(const Extent &extents) {
    int64_t side = 1;
    while (side < *std::max_element(extents.begin(), extents.end())) side *= 2;
    return side;
}

Extent octant_corner(const Extent &corner, int64_t half, int octant) {
    return { corner[0] + (octant & 1) * half, corner[1] + (octant >> 1 & 1) * half, corner[2] + (octant >> 2 & 1) * half };
}

int64_t cells_inside(const Extent &corner, int64_t side, const Extent &extents) {
    int64_t cells = 1;
    for (int d = 0; d < 3; ++d) cells *= std::clamp<int64_t>(extents[d] - corner[d], 0, side);
    return cells;
}

} // namespace

int64_t morton_place(const Extent &coordinates, const Extent &extents) {
    Extent corner{};
    int64_t place = 0;
    for (int64_t half = enclosing_cube(extents) / 2; half >= 1; half /= 2) {
        int wanted = 0;
        for (int d = 0; d < 3; ++d) wanted |= (coordinates[d] >= corner[d] + half) << d;
        for (int octant = 0; octant < wanted; ++octant) place += cells_inside(octant_corner(corner, half, octant), half, extents);
        corner = octant_corner(corner, half, wanted);
    }
    return place;
}

Extent morton_coordinates(int64_t place, const Extent &extents) {
    Extent corner{};
    for (int64_t half = enclosing_cube(extents) / 2; half >= 1; half /= 2) {
        int octant = 0;
        int64_t cells = cells_inside(corner, half, extents);
        while (place >= cells) {
            place -= cells;
            ++octant;
            cells = cells_inside(octant_corner(corner, half, octant), half, extents);
        }
        corner = octant_corner(corner, half, octant);
    }
    return corner;
}

} // namespace halo
