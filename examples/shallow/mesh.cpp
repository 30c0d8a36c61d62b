// SPDX-License-Identifier: BSD-3-Clause
#include "mesh.h"

#include <numbers>
#include <span>

namespace shallow {

namespace {

constexpr std::int32_t solid = HALO_SPHERE_ICOSAHEDRON;

double arc(const Point &a, const Point &b) { return std::atan2(shallow::length(vector_product(a, b)), scalar_product(a, b)); }

/// Of a triangle on the sphere (A. van Oosterom, J. Strackee, "The Solid Angle of a Plane Triangle", 1983).
double area(const Point &a, const Point &b, const Point &c) {
    const double twice = std::fabs(scalar_product(a, vector_product(b, c)));
    return 2 * std::atan2(twice, 1 + scalar_product(a, b) + scalar_product(b, c) + scalar_product(c, a));
}

Point solve(const Point (&columns)[3], const Point &right) {
    const auto determinant = [](const Point &a, const Point &b, const Point &c) { return scalar_product(a, vector_product(b, c)); };
    const double all = determinant(columns[0], columns[1], columns[2]);
    return { scalar_product(right, vector_product(columns[1], columns[2])) / all, determinant(columns[0], right, columns[2]) / all,
             determinant(columns[0], columns[1], right) / all };
}

/// Of the tangent plane alone: what the matrix lacks across it is filled up.
Gradient gradient_at(const std::vector<Point> &places, std::uint32_t cell, std::span<const std::uint32_t> around) {
    const Point &here = places[cell];
    Gradient gradient{};
    gradient.at = cell;
    Point differences[most_sides], matrix[3]{};
    for (const std::uint32_t other : around) {
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

/// The triangle k of a vertex, `ring`, lies between its edges k and k + 1, and edge k leads to its neighbour k.
Cell cell_at(const Point &place, std::uint32_t at, std::span<const std::uint32_t> around, const std::vector<Point> &ring) {
    Cell cell{};
    cell.at = at;
    for (std::size_t k = 0; k < ring.size(); ++k) {
        const Point &from = ring[(k + ring.size() - 1) % ring.size()], &to = ring[k];
        cell.sides[k] = { around[k], arc(from, to), unit(from + to), unit(vector_product(from, to)) };
        cell.area += area(place, from, to);
    }
    cell.n_sides = static_cast<int>(ring.size());
    return cell;
}

} // namespace

Mesh::Mesh(const halo::Context &context, std::int64_t n) : n_(n) {
    halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
    desc.solid = solid, desc.n = n;
    desc.parts_per_side = n < 2 ? 1 : 2;
    desc.rings[HALO_SPHERE_VERTICES] = 2; // gradients in the first ring read the second one
    halo::Sphere sphere(context, desc);
    topology_ = std::make_unique<halo::Topology>(sphere.topology(HALO_SPHERE_VERTICES));
    for (const std::int64_t gid : sphere.local_parts()) add_part(sphere, gid);
}

Point Mesh::place(std::int32_t kind, std::uint64_t key) const {
    Point position{};
    halo::check(halo_sphere_position(solid, n_, kind, key, position.at));
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

void Mesh::add_part(const halo::Sphere &sphere, std::int64_t gid) {
    const std::vector<std::uint64_t> keys = sphere.keys(gid, HALO_SPHERE_VERTICES);
    const auto first = static_cast<std::uint32_t>(keys_.size());
    parts_.push_back({ gid, first, keys.size() });
    keys_.insert(keys_.end(), keys.begin(), keys.end());
    for (const std::uint64_t key : keys) places_.push_back(place(HALO_SPHERE_VERTICES, key));
    const auto ends = sphere.ring_ends(gid, HALO_SPHERE_VERTICES);
    const auto table = sphere.neighbours(gid, HALO_SPHERE_VERTICES, HALO_SPHERE_VERTICES); // of the part alone
    for (std::uint32_t i = 0; i < ends[1]; ++i) {
        std::vector<std::uint32_t> around;
        for (const std::uint32_t other : std::span(table).subspan(std::size_t{ most_sides } * i, most_sides))
            if (other != HALO_NO_INDEX) around.push_back(first + other);
        gradients_.push_back(gradient_at(places_, first + i, around));
        if (i < ends[0]) cells_.push_back(cell_at(places_[first + i], first + i, around, corners(keys[i])));
    }
}

} // namespace shallow
