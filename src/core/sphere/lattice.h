// SPDX-License-Identifier: BSD-3-Clause
// The grid of triangles on an icosahedron or octahedron, by arithmetic alone: no table of it exists anywhere.
//
// A parallelogram is two triangles of the solid side by side, cut into n x n squares of two cells each. Its corner (0, 0) points to the north pole,
// (n, n) to the south pole, i runs south-west and j south-east. An icosahedron has five parallelograms around the north pole, then five around the
// south pole, counted eastwards; those of an octahedron reach from pole to pole.
//
//     corner (0, 0)            j = 0 side: neighbour to the north-west        i = 0 side: to the north-east
//     corner (n, n)            i = n side: neighbour to the south-west        j = n side: to the south-east
//
// Parallelograms meet turned by 60 degrees where both sides end in the same pole, else straight.
#pragma once

#include <array>
#include <cstdint>

#include "halo_sphere.h"

namespace halo {

// Where an entity lies on the lattice of its parallelogram, in sixths of the distance between vertices. The place tells the entity: edges lie at
// their midpoints (odd multiples of 3), cells at their centres (2 or 4 beyond a multiple of 6), vertices at multiples of 6.
struct LatticePoint {
    int32_t parallelogram;
    int64_t x;
    int64_t y;
    bool operator==(const LatticePoint &) const = default;
};

inline constexpr int32_t n_sphere_kinds = 3;
inline constexpr int64_t most_sphere_side = int64_t{ 1 } << 28; // squares along a side: keys and sixths stay within 64 bits

// Neighbours of one entity, in the order of the tables, clockwise around vertices.
struct SphereNeighbours {
    static constexpr int32_t most = 6;
    std::array<LatticePoint, most> points;
    int32_t n = 0;
    void add(const LatticePoint &point) { points[static_cast<size_t>(n++)] = point; }
};

// HALO_ERR_ARGUMENT, HALO_ERR_LIMIT.
void check_sphere_grid(int32_t solid, int64_t n);
void check_sphere_kind(int32_t kind);

int32_t sphere_colours(int32_t kind);
// Length of a row of the table; around some vertices there are fewer.
int32_t sphere_width(int32_t from, int32_t to);

class SphereLattice {
public:
    // HALO_SPHERE_ICOSAHEDRON or HALO_SPHERE_OCTAHEDRON; 1 <= n <= most_sphere_side.
    SphereLattice(int32_t solid, int64_t n)
        : n_(n),
          n_around_(solid == HALO_SPHERE_ICOSAHEDRON ? 5 : 4),
          icosahedron_(solid == HALO_SPHERE_ICOSAHEDRON) {}

    int64_t n() const { return n_; }
    // Parallelograms that meet at a pole.
    int32_t n_around() const { return n_around_; }
    int32_t n_parallelograms() const { return icosahedron_ ? 10 : 4; }
    int64_t n_squares() const { return n_parallelograms() * n_ * n_; }
    int64_t n_entities(int32_t kind) const;

    // What lies on a side, or up to one square beyond it, under the one name that it has everywhere: 0 < x <= 6 n, 0 <= y < 6 n, or a pole.
    LatticePoint home(LatticePoint point) const;
    LatticePoint north_pole() const { return { 0, 0, 0 }; }
    LatticePoint south_pole() const { return { first_southern(), 6 * n_, 6 * n_ }; }
    bool is_pole(const LatticePoint &home) const { return home == north_pole() || home == south_pole(); }

    // The rest takes and gives points at home.
    LatticePoint point_of(int32_t kind, const halo_sphere_entity &entity) const;
    // Of names and keys that are any numbers. HALO_ERR_BOUNDS.
    void check(int32_t kind, const halo_sphere_entity &entity) const;
    void check(int32_t kind, uint64_t key) const;
    halo_sphere_entity entity_of(int32_t kind, const LatticePoint &point) const;
    // 0 .. n_entities - 1: i fastest, then colour, then j, then parallelogram; the poles last.
    uint64_t key_of(int32_t kind, const LatticePoint &point) const;
    LatticePoint point_of(int32_t kind, uint64_t key) const;
    SphereNeighbours neighbours(const LatticePoint &point, int32_t from, int32_t to) const;

    // The square that an entity belongs to: it owns its two cells, three edges and one vertex. The poles belong to the squares in their corners.
    struct Square {
        int32_t parallelogram;
        int64_t i;
        int64_t j;
    };
    Square square_of(const LatticePoint &point) const;
    // Of a square: the entity of a colour.
    LatticePoint in_square(int32_t kind, const Square &square, int32_t colour) const;

private:
    int32_t first_southern() const { return n_parallelograms() - n_around_; }
    bool at_north(int32_t parallelogram) const { return parallelogram < n_around_; }
    bool at_south(int32_t parallelogram) const { return parallelogram >= first_southern(); }
    // The next one eastwards around the same pole.
    int32_t around(int32_t parallelogram, int32_t steps) const;
    LatticePoint across_low_j(const LatticePoint &point) const;
    LatticePoint across_low_i(const LatticePoint &point) const;
    LatticePoint across_high_j(const LatticePoint &point) const;
    LatticePoint across_high_i(const LatticePoint &point) const;
    SphereNeighbours around_pole(const LatticePoint &pole, int32_t to) const;

    int64_t n_;
    int32_t n_around_;
    bool icosahedron_;
};

} // namespace halo
