// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "point.h"

#include <cstdint>
#include <memory>
#include <vector>

#include <halo_sphere.hpp>

namespace shallow {

/// Cells are hexagons and twelve pentagons around the vertices of an icosahedral grid: their sides join the centres of the triangles around. Lengths
/// and areas are those of the sphere of radius 1.
constexpr int most_sides = 6;

struct Side {
    std::uint32_t beyond; ///< the cell there
    double length;
    Point middle, outward;
};

struct Cell {
    int n_sides = 0;
    double area = 0;
    Side sides[most_sides];
};

/// The gradient of values on the sphere, by least squares: a sum over the cells around of weights times differences.
struct Gradient {
    int n = 0;
    std::uint32_t around[most_sides];
    Point weights[most_sides];
};

/// One part of this rank. Indices: its own cells, then ghosts by ring.
struct Part {
    std::int64_t gid = 0;
    std::vector<std::uint64_t> keys;
    std::vector<Point> places;       ///< of all cells
    std::vector<Cell> cells;         ///< its own
    std::vector<Gradient> gradients; ///< its own and the first ring
};

class Mesh {
public:
    /// `n` squares along a side of each of the ten parallelograms: 10 n^2 + 2 cells. Collective.
    Mesh(const halo::Context &context, std::int64_t n);

    const std::vector<Part> &parts() const { return parts_; }
    const halo::Topology &topology() const { return *topology_; }
    std::int64_t n_cells() const { return 10 * n_ * n_ + 2; }
    /// Between the middles of neighbours, roughly.
    double spacing() const;
    /// Of a cell's polygon, by key, clockwise as seen from outside.
    std::vector<Point> corners(std::uint64_t key) const;

private:
    Part make_part(const halo::Sphere &sphere, std::int64_t gid) const;
    Point place(std::int32_t kind, std::uint64_t key) const;

    std::int64_t n_;
    std::unique_ptr<halo::Topology> topology_;
    std::vector<Part> parts_;
};

} // namespace shallow
