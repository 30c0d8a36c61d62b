// SPDX-License-Identifier: BSD-3-Clause
// Cells outside the grid are skipped: descending from the smallest enclosing cube of a power of two, the octants before the wanted one contribute as
// many places as they share cells with the grid. In a cube without cells outside, the bits of the coordinates tell the rest.
#include "topology/curve.h"

#include <algorithm>

namespace halo {

namespace {

// Each bit moves to three times its place, and back.
uint64_t spread(uint64_t bits) {
    bits &= 0x1fffff;
    bits = (bits | bits << 32) & 0x1f00000000ffff;
    bits = (bits | bits << 16) & 0x1f0000ff0000ff;
    bits = (bits | bits << 8) & 0x100f00f00f00f00f;
    bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
    return (bits | bits << 2) & 0x1249249249249249;
}

uint64_t gathered(uint64_t bits) {
    bits &= 0x1249249249249249;
    bits = (bits | bits >> 2) & 0x10c30c30c30c30c3;
    bits = (bits | bits >> 4) & 0x100f00f00f00f00f;
    bits = (bits | bits >> 8) & 0x1f0000ff0000ff;
    bits = (bits | bits >> 16) & 0x1f00000000ffff;
    return (bits | bits >> 32) & 0x1fffff;
}

// A cube of the descent, and how much of it lies in the grid.
struct Cube {
    Extent corner{};
    Extent inside;
    int64_t side = 1;

    explicit Cube(const Extent &extents) : inside(extents) {
        while (side < *std::max_element(extents.begin(), extents.end())) side *= 2;
    }
    bool is_full() const { return inside == Extent{ side, side, side }; }
    // Cells of the lower half along d, of what is left of the cube once the halves along the directions above d are chosen.
    int64_t lower_half(int d) const {
        int64_t cells = std::min(side / 2, inside[d]);
        for (int other = 0; other < 3; ++other)
            if (other != d) cells *= inside[other];
        return cells;
    }
    void choose(int d, bool upper) {
        const int64_t lower = std::min(side / 2, inside[d]);
        corner[d] += upper ? side / 2 : 0;
        inside[d] = upper ? inside[d] - lower : lower;
    }
};

} // namespace

uint64_t morton_code(const Extent &coordinates) {
    const auto bits = [&](int d) { return spread(static_cast<uint64_t>(coordinates[d])); };
    return bits(0) | bits(1) << 1 | bits(2) << 2;
}

int64_t morton_place(const Extent &coordinates, const Extent &extents) {
    int64_t place = 0;
    Cube cube(extents);
    for (; !cube.is_full(); cube.side /= 2)
        for (int d = 2; d >= 0; --d) {
            const bool upper = coordinates[d] >= cube.corner[d] + cube.side / 2;
            if (upper) place += cube.lower_half(d);
            cube.choose(d, upper);
        }
    const Extent &corner = cube.corner;
    return place + static_cast<int64_t>(morton_code({ coordinates[0] - corner[0], coordinates[1] - corner[1], coordinates[2] - corner[2] }));
}

Extent morton_coordinates(int64_t place, const Extent &extents) {
    Cube cube(extents);
    for (; !cube.is_full(); cube.side /= 2)
        for (int d = 2; d >= 0; --d) {
            const int64_t lower = cube.lower_half(d);
            const bool upper = place >= lower;
            if (upper) place -= lower;
            cube.choose(d, upper);
        }
    Extent coordinates = cube.corner;
    for (int d = 0; d < 3; ++d) coordinates[d] += static_cast<int64_t>(gathered(static_cast<uint64_t>(place) >> d));
    return coordinates;
}

} // namespace halo
