// SPDX-License-Identifier: BSD-3-Clause
#include "sphere/lattice.h"

#include <span>

#include "base/checked.h"

namespace halo {

namespace {

struct Offset {
    int32_t i;
    int32_t j;
    int32_t colour;
};

struct Sixths {
    int64_t x;
    int64_t y;
};

// Of an entity (0, 0, colour).
constexpr Sixths places[n_sphere_kinds][3] = { { { 2, 2 }, { 4, 4 } }, { { 3, 0 }, { 0, 3 }, { 3, 3 } }, { { 0, 0 } } };
// Of the entities of a square, from its corner.
constexpr Sixths in_squares[n_sphere_kinds][3] = { { { 2, 2 }, { 4, 4 } }, { { 3, 0 }, { 6, 3 }, { 3, 3 } }, { { 6, 0 } } };
constexpr int32_t colours[n_sphere_kinds] = { 2, 3, 1 };
constexpr int32_t widths[n_sphere_kinds][n_sphere_kinds] = { { 3, 3, 3 }, { 2, 4, 2 }, { 6, 6, 6 } };

// Neighbours of entity (0, 0, colour): the tables of GridTools' icosahedral grids, in their order.
constexpr Offset cell_cells[2][3] = { { { -1, 0, 1 }, { 0, 0, 1 }, { 0, -1, 1 } }, { { 1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 } } };
constexpr Offset cell_edges[2][3] = { { { 0, 0, 1 }, { 0, 0, 2 }, { 0, 0, 0 } }, { { 1, 0, 1 }, { 0, 0, 2 }, { 0, 1, 0 } } };
constexpr Offset cell_vertices[2][3] = { { { 1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 } }, { { 0, 1, 0 }, { 1, 1, 0 }, { 1, 0, 0 } } };
constexpr Offset edge_cells[3][2] = { { { 0, -1, 1 }, { 0, 0, 0 } }, { { -1, 0, 1 }, { 0, 0, 0 } }, { { 0, 0, 1 }, { 0, 0, 0 } } };
constexpr Offset edge_edges[3][4] = { { { 0, -1, 2 }, { 0, 0, 1 }, { 0, 0, 2 }, { 1, -1, 1 } },
                                      { { -1, 0, 2 }, { -1, 1, 0 }, { 0, 0, 2 }, { 0, 0, 0 } },
                                      { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, { 1, 0, 1 } } };
constexpr Offset edge_vertices[3][2] = { { { 1, 0, 0 }, { 0, 0, 0 } }, { { 0, 0, 0 }, { 0, 1, 0 } }, { { 0, 1, 0 }, { 1, 0, 0 } } };
constexpr Offset vertex_cells[1][6] = { { { -1, -1, 1 }, { -1, 0, 0 }, { -1, 0, 1 }, { 0, 0, 0 }, { 0, -1, 1 }, { 0, -1, 0 } } };
constexpr Offset vertex_edges[1][6] = { { { 0, -1, 1 }, { -1, 0, 0 }, { -1, 0, 2 }, { 0, 0, 1 }, { 0, 0, 0 }, { 0, -1, 2 } } };
constexpr Offset vertex_vertices[1][6] = { { { 0, -1, 0 }, { -1, 0, 0 }, { -1, 1, 0 }, { 0, 1, 0 }, { 1, 0, 0 }, { 1, -1, 0 } } };

constexpr const Offset *tables[n_sphere_kinds][n_sphere_kinds] = { { cell_cells[0], cell_edges[0], cell_vertices[0] },
                                                                   { edge_cells[0], edge_edges[0], edge_vertices[0] },
                                                                   { vertex_cells[0], vertex_edges[0], vertex_vertices[0] } };

std::span<const Offset> row(int32_t from, int32_t colour, int32_t to) {
    return { tables[from][to] + colour * widths[from][to], static_cast<size_t>(widths[from][to]) };
}

int64_t floor_sixth(int64_t sixths) { return (sixths >= 0 ? sixths : sixths - 5) / 6; }

} // namespace

void check_sphere_grid(int32_t solid, int64_t n) {
    if (solid != HALO_SPHERE_ICOSAHEDRON && solid != HALO_SPHERE_OCTAHEDRON)
        fail(HALO_ERR_ARGUMENT, "sphere: solid %d is neither HALO_SPHERE_ICOSAHEDRON nor HALO_SPHERE_OCTAHEDRON", solid);
    if (n < 1) fail(HALO_ERR_ARGUMENT, "sphere: %lld squares along a side", static_cast<long long>(n));
    check_limit("sphere: n", n, most_sphere_side);
}

void check_sphere_kind(int32_t kind) {
    if (kind < 0 || kind >= n_sphere_kinds)
        fail(HALO_ERR_ARGUMENT, "sphere: kind %d is none of HALO_SPHERE_CELLS, HALO_SPHERE_EDGES and HALO_SPHERE_VERTICES", kind);
}

int32_t sphere_colours(int32_t kind) { return colours[kind]; }
int32_t sphere_width(int32_t from, int32_t to) { return widths[from][to]; }

int64_t SphereLattice::n_entities(int32_t kind) const { return n_squares() * colours[kind] + (kind == HALO_SPHERE_VERTICES ? 2 : 0); }

int32_t SphereLattice::around(int32_t parallelogram, int32_t steps) const {
    const int32_t first = parallelogram < n_around_ ? 0 : n_around_;
    return first + (parallelogram - first + steps + n_around_) % n_around_;
}

// Where both meet a pole they are turned about it, by 60 degrees: (1, 0), (0, 1), (-1, 1), ... follow each other. Else corner comes to corner.
LatticePoint SphereLattice::across_low_j(const LatticePoint &p) const {
    if (at_north(p.parallelogram)) return { around(p.parallelogram, -1), -p.y, p.x + p.y };
    return { p.parallelogram - n_around_, p.x, p.y + 6 * n_ };
}

LatticePoint SphereLattice::across_low_i(const LatticePoint &p) const {
    if (at_north(p.parallelogram)) return { around(p.parallelogram, 1), p.x + p.y, -p.x };
    return { around(p.parallelogram, 1) - n_around_, p.x + 6 * n_, p.y };
}

LatticePoint SphereLattice::across_high_j(const LatticePoint &p) const {
    const int64_t side = 6 * n_;
    if (at_south(p.parallelogram)) return { around(p.parallelogram, 1), 2 * side - p.y, p.x + p.y - side };
    return { p.parallelogram + n_around_, p.x, p.y - side };
}

LatticePoint SphereLattice::across_high_i(const LatticePoint &p) const {
    const int64_t side = 6 * n_;
    if (at_south(p.parallelogram)) return { around(p.parallelogram, -1), p.x + p.y - side, 2 * side - p.x };
    return { around(p.parallelogram, -1) + n_around_, p.x - side, p.y };
}

// Around a corner the plane has more room than the solid: what lies beyond two sides is reached across j = 0 first.
LatticePoint SphereLattice::home(LatticePoint point) const {
    const int64_t side = 6 * n_;
    for (;;) {
        if (at_north(point.parallelogram) && point.x == 0 && point.y == 0) return north_pole();
        if (at_south(point.parallelogram) && point.x == side && point.y == side) return south_pole();
        if (point.y < 0)
            point = across_low_j(point);
        else if (point.x > side)
            point = across_high_i(point);
        else if (point.y >= side)
            point = across_high_j(point);
        else if (point.x <= 0)
            point = across_low_i(point);
        else
            return point;
    }
}

void SphereLattice::check(int32_t kind, const halo_sphere_entity &entity) const {
    const bool known = entity.parallelogram >= 0 && entity.parallelogram < n_parallelograms() && entity.colour >= 0 && entity.colour < colours[kind];
    const auto inside = [&](int64_t at, bool far_side) { return at >= 0 && at < n_ + (far_side ? 1 : 0); };
    const bool edge = kind == HALO_SPHERE_EDGES, vertex = kind == HALO_SPHERE_VERTICES;
    if (!known || !inside(entity.i, vertex || (edge && entity.colour == 1)) || !inside(entity.j, vertex || (edge && entity.colour == 0)))
        fail(HALO_ERR_BOUNDS, "sphere: (%lld, %lld) of colour %d is no %s of a parallelogram %d of %lld x %lld squares",
             static_cast<long long>(entity.i), static_cast<long long>(entity.j), entity.colour,
             vertex ? "vertex"
             : edge ? "edge"
                    : "cell",
             entity.parallelogram, static_cast<long long>(n_), static_cast<long long>(n_));
}

void SphereLattice::check(int32_t kind, uint64_t key) const {
    if (key >= static_cast<uint64_t>(n_entities(kind)))
        fail(HALO_ERR_BOUNDS, "sphere: key %llu; there are keys 0 to %lld", static_cast<unsigned long long>(key),
             static_cast<long long>(n_entities(kind) - 1));
}

LatticePoint SphereLattice::point_of(int32_t kind, const halo_sphere_entity &entity) const {
    const Sixths place = places[kind][entity.colour];
    return home({ entity.parallelogram, 6 * entity.i + place.x, 6 * entity.j + place.y });
}

halo_sphere_entity SphereLattice::entity_of(int32_t kind, const LatticePoint &point) const {
    const int64_t i = floor_sixth(point.x), j = floor_sixth(point.y);
    int32_t colour = 0;
    while (places[kind][colour].x != point.x - 6 * i || places[kind][colour].y != point.y - 6 * j) ++colour;
    return { point.parallelogram, colour, i, j };
}

SphereLattice::Square SphereLattice::square_of(const LatticePoint &point) const {
    if (point == north_pole()) return { 0, 0, 0 };
    if (point == south_pole()) return { point.parallelogram, n_ - 1, n_ - 1 };
    return { point.parallelogram, (point.x - 1) / 6, point.y / 6 };
}

LatticePoint SphereLattice::in_square(int32_t kind, const Square &square, int32_t colour) const {
    const Sixths place = in_squares[kind][colour];
    return { square.parallelogram, 6 * square.i + place.x, 6 * square.j + place.y };
}

uint64_t SphereLattice::key_of(int32_t kind, const LatticePoint &point) const {
    if (is_pole(point)) return static_cast<uint64_t>(n_squares() + (point == south_pole() ? 1 : 0));
    const Square square = square_of(point);
    const int64_t row_of_squares = square.parallelogram * n_ + square.j;
    return static_cast<uint64_t>((row_of_squares * colours[kind] + entity_of(kind, point).colour) * n_ + square.i);
}

LatticePoint SphereLattice::point_of(int32_t kind, uint64_t key) const {
    const auto place = static_cast<int64_t>(key);
    if (kind == HALO_SPHERE_VERTICES && place >= n_squares()) return place == n_squares() ? north_pole() : south_pole();
    const int64_t line = place / n_;
    const int64_t row_of_squares = line / colours[kind];
    return in_square(kind, { static_cast<int32_t>(row_of_squares / n_), place % n_, row_of_squares % n_ },
                     static_cast<int32_t>(line % colours[kind]));
}

// Clockwise, from what lies at (0, -1) as in the plane: at the north pole westwards, at the south pole eastwards.
SphereNeighbours SphereLattice::around_pole(const LatticePoint &pole, int32_t to) const {
    constexpr Sixths from_north[n_sphere_kinds] = { { 2, 2 }, { 3, 0 }, { 6, 0 } };
    constexpr Sixths from_south[n_sphere_kinds] = { { -2, -2 }, { 0, -3 }, { 0, -6 } };
    const bool north = pole == north_pole();
    const Sixths from = north ? from_north[to] : from_south[to];
    SphereNeighbours all;
    for (int32_t step = 0; step < n_around_; ++step) {
        const int32_t steps = !north ? step : n_around_ - 1 - step - (to == HALO_SPHERE_CELLS ? 1 : 0);
        all.add(home({ around(pole.parallelogram, steps), pole.x + from.x, pole.y + from.y }));
    }
    return all;
}

// The corner (n, 0) of each parallelogram has fewer neighbours than the plane: of six directions around it the fifth leads to where another one
// leads; on an octahedron the sixth does too.
SphereNeighbours SphereLattice::neighbours(const LatticePoint &point, int32_t from, int32_t to) const {
    if (is_pole(point)) return around_pole(point, to);
    const halo_sphere_entity entity = entity_of(from, point);
    const bool corner = from == HALO_SPHERE_VERTICES && point.x == 6 * n_ && point.y == 0;
    SphereNeighbours all;
    int32_t slot = 0;
    for (const Offset &offset : row(from, entity.colour, to)) {
        const bool missing = corner && (icosahedron_ ? slot == 4 : slot >= 4);
        ++slot;
        if (missing) continue;
        const Sixths place = places[to][offset.colour];
        all.add(home({ point.parallelogram, 6 * (entity.i + offset.i) + place.x, 6 * (entity.j + offset.j) + place.y }));
    }
    return all;
}

} // namespace halo
