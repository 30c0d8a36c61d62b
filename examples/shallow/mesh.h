// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cell.h"

#include <cstdint>
#include <memory>
#include <vector>

#include <halo_sphere.hpp>

namespace shallow {

/// One part of this rank, and which cells belong to it: its own, then ghosts by ring.
struct Part {
    std::int64_t gid = 0;
    std::size_t first = 0, n_cells = 0;
};

/// Cells are hexagons and twelve pentagons around the vertices of an icosahedral grid: their sides join the centres of the triangles around. Those
/// that this rank knows are numbered part after part; one that several of its parts know has several numbers.
class Mesh {
public:
    /// `n` squares along a side of each of the ten parallelograms: 10 n^2 + 2 cells. Collective.
    Mesh(const halo::Context &context, std::int64_t n);

    const halo::Topology &topology() const { return *topology_; }
    const std::vector<Part> &parts() const { return parts_; }
    const std::vector<std::uint64_t> &keys() const { return keys_; } ///< of the cells that this rank knows
    const std::vector<Point> &places() const { return places_; }     ///< likewise
    const std::vector<Cell> &cells() const { return cells_; }        ///< of this rank
    /// Of these, and of the first ring of ghosts around each part.
    const std::vector<Gradient> &gradients() const { return gradients_; }

    std::int64_t n_cells() const { return 10 * n_ * n_ + 2; } ///< of the whole sphere
    /// Between the middles of neighbours, roughly.
    double spacing() const;
    /// Of a cell's polygon, by key, clockwise as seen from outside.
    std::vector<Point> corners(std::uint64_t key) const;

private:
    void add_part(const halo::Sphere &sphere, std::int64_t gid);
    Point place(std::int32_t kind, std::uint64_t key) const;

    std::int64_t n_;
    std::unique_ptr<halo::Topology> topology_;
    std::vector<Part> parts_;
    std::vector<std::uint64_t> keys_;
    std::vector<Point> places_;
    std::vector<Cell> cells_;
    std::vector<Gradient> gradients_;
};

} // namespace shallow
