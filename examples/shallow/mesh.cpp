// SPDX-License-Identifier: BSD-3-Clause
#include "mesh.h"

#include <numbers>
#include <span>

namespace shallow {

namespace {

constexpr std::int32_t solid = HALO_SPHERE_ICOSAHEDRON;

double arc(const Point &a, const Point &b) { return std::atan2(shallow::length(cross(a, b)), dot(a, b)); }

/// Of a triangle on the sphere (A. van Oosterom, J. Strackee, "The Solid Angle of a Plane Triangle", 1983).
double area(const Point &a, const Point &b, const Point &c) {
    return 2 * std::atan2(std::fabs(dot(a, cross(b, c))), 1 + dot(a, b) + dot(b, c) + dot(c, a));
}

Point solve(const Point (&columns)[3], const Point &right) {
    const double determinant = dot(columns[0], cross(columns[1], columns[2]));
    return { dot(right, cross(columns[1], columns[2])) / determinant, dot(columns[0], cross(right, columns[2])) / determinant,
             dot(columns[0], cross(columns[1], right)) / determinant };
}

/// Of the tangent plane alone: what the matrix lacks across it is filled up.
Gradient gradient_at(const std::vector<Point> &places, std::uint32_t cell, std::span<const std::uint32_t> around) {
    const Point &here = places[cell];
    Gradient gradient;
    Point differences[most_sides], matrix[3]{};
    for (const std::uint32_t other : around) {
        if (other == HALO_NO_INDEX) break;
        const Point along = tangent(places[other] - here, here);
        for (std::size_t d = 0; d < 3; ++d) matrix[d] = matrix[d] + along[d] * along;
        differences[gradient.n] = along;
        gradient.around[gradient.n++] = other;
    }
    const double size = matrix[0][0] + matrix[1][1] + matrix[2][2];
    for (std::size_t d = 0; d < 3; ++d) matrix[d] = matrix[d] + size * here[d] * here;
    for (int k = 0; k < gradient.n; ++k) gradient.weights[k] = solve(matrix, differences[k]);
    return gradient;
}

} // namespace

Mesh::Mesh(const halo::Context &context, std::int64_t n) : n_(n) {
    halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
    desc.solid = solid, desc.n = n;
    desc.parts_per_side = n < 2 ? 1 : 2;
    desc.rings[HALO_SPHERE_VERTICES] = 2; // gradients in the first ring read the second one
    halo::Sphere sphere(context, desc);
    topology_ = std::make_unique<halo::Topology>(sphere.topology(HALO_SPHERE_VERTICES));
    for (const std::int64_t gid : sphere.local_parts()) parts_.push_back(make_part(sphere, gid));
}

Point Mesh::place(std::int32_t kind, std::uint64_t key) const {
    Point position;
    halo::check(halo_sphere_position(solid, n_, kind, key, position.data()));
    return position;
}

double Mesh::spacing() const { return std::sqrt(4 * std::numbers::pi / static_cast<double>(n_cells())); }

std::vector<Point> Mesh::corners(std::uint64_t key) const {
    std::uint64_t triangles[most_sides];
    std::int32_t n = 0;
    halo::check(halo_sphere_key_neighbours(solid, n_, HALO_SPHERE_VERTICES, key, HALO_SPHERE_CELLS, triangles, &n));
    std::vector<Point> corners;
    for (std::int32_t k = 0; k < n; ++k) corners.push_back(place(HALO_SPHERE_CELLS, triangles[k]));
    return corners;
}

// The triangle k of a vertex lies between its edges k and k + 1, and edge k leads to its neighbour k.
Part Mesh::make_part(const halo::Sphere &sphere, std::int64_t gid) const {
    Part part;
    part.gid = gid;
    part.keys = sphere.keys(gid, HALO_SPHERE_VERTICES);
    for (const std::uint64_t key : part.keys) part.places.push_back(place(HALO_SPHERE_VERTICES, key));
    const auto ends = sphere.ring_ends(gid, HALO_SPHERE_VERTICES);
    const auto table = sphere.neighbours(gid, HALO_SPHERE_VERTICES, HALO_SPHERE_VERTICES);
    const auto around = [&](std::uint32_t cell) { return std::span(table).subspan(std::size_t{ most_sides } * cell, most_sides); };
    for (std::uint32_t cell = 0; cell < ends[1]; ++cell) part.gradients.push_back(gradient_at(part.places, cell, around(cell)));
    for (std::uint32_t i = 0; i < ends[0]; ++i) {
        const auto ring = corners(part.keys[i]);
        Cell cell;
        for (std::size_t k = 0; k < ring.size(); ++k) {
            const Point &from = ring[(k + ring.size() - 1) % ring.size()], &to = ring[k];
            cell.sides[k] = { around(i)[k], arc(from, to), unit(from + to), unit(cross(from, to)) };
            cell.area += area(part.places[i], from, to);
        }
        cell.n_sides = static_cast<int>(ring.size());
        part.cells.push_back(cell);
    }
    return part;
}

} // namespace shallow
