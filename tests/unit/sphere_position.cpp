// SPDX-License-Identifier: BSD-3-Clause
// Positions, and by them what the tables say of directions.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "sphere/position.h"

namespace {

using namespace halo;

constexpr int32_t cells = HALO_SPHERE_CELLS, edges = HALO_SPHERE_EDGES, vertices = HALO_SPHERE_VERTICES;

double dot(const SpherePosition &a, const SpherePosition &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
SpherePosition cross(const SpherePosition &a, const SpherePosition &b) {
    return { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
}
// Positive: from a to b to c is counterclockwise, as seen from outside.
double turn(const SpherePosition &a, const SpherePosition &b, const SpherePosition &c) { return dot(a, cross(b, c)); }

class Positions : public testing::TestWithParam<std::tuple<int32_t, int64_t>> {
protected:
    SphereLattice grid{ std::get<0>(GetParam()), std::get<1>(GetParam()) };

    SpherePosition at(int32_t kind, uint64_t key) const { return sphere_position(grid, grid.point_of(kind, key)); }
    std::vector<SpherePosition> around(int32_t from, uint64_t key, int32_t to) const {
        const SphereNeighbours all = grid.neighbours(grid.point_of(from, key), from, to);
        std::vector<SpherePosition> positions;
        for (int32_t k = 0; k < all.n; ++k) positions.push_back(sphere_position(grid, all.points[static_cast<size_t>(k)]));
        return positions;
    }
    uint64_t count(int32_t kind) const { return static_cast<uint64_t>(grid.n_entities(kind)); }
};

INSTANTIATE_TEST_SUITE_P(Grids, Positions,
                         testing::Combine(testing::Values(HALO_SPHERE_ICOSAHEDRON, HALO_SPHERE_OCTAHEDRON), testing::Values(1, 2, 5)));

TEST_P(Positions, OnTheSphere) {
    for (const int32_t kind : { cells, edges, vertices })
        for (uint64_t key = 0; key < count(kind); ++key) EXPECT_NEAR(dot(at(kind, key), at(kind, key)), 1, 1e-14);
    EXPECT_EQ(at(vertices, count(vertices) - 2), (SpherePosition{ 0, 0, 1 }));
    EXPECT_EQ(at(vertices, count(vertices) - 1), (SpherePosition{ 0, 0, -1 }));
}

// Vertices follow each other clockwise around each cell, and the cells cover the sphere once (area by Oosterom and Strackee's formula).
TEST_P(Positions, CellsCoverTheSphere) {
    double area = 0;
    for (uint64_t key = 0; key < count(cells); ++key) {
        const auto corner = around(cells, key, vertices);
        const double volume = turn(corner[0], corner[1], corner[2]);
        EXPECT_LT(volume, 0) << "cell " << key;
        area += 2 * std::atan2(-volume, 1 + dot(corner[0], corner[1]) + dot(corner[1], corner[2]) + dot(corner[2], corner[0]));
        EXPECT_LT(turn(corner[0], corner[1], at(cells, key)), 0);
        EXPECT_LT(turn(corner[1], corner[2], at(cells, key)), 0);
        EXPECT_LT(turn(corner[2], corner[0], at(cells, key)), 0);
    }
    EXPECT_NEAR(area, 4 * M_PI, 1e-11);
}

TEST_P(Positions, EdgesLieBetweenTheirVerticesAndCells) {
    for (uint64_t key = 0; key < count(edges); ++key) {
        const auto end = around(edges, key, vertices), side = around(edges, key, cells);
        const SpherePosition middle = at(edges, key);
        EXPECT_NEAR(turn(end[0], end[1], middle), 0, 1e-14);
        EXPECT_GT(dot(end[0], middle), dot(end[0], end[1]));
        EXPECT_GT(dot(end[1], middle), dot(end[0], end[1]));
        EXPECT_LT(turn(end[0], end[1], side[0]) * turn(end[0], end[1], side[1]), 0);
    }
}

TEST_P(Positions, ClockwiseAroundVertices) {
    for (uint64_t key = 0; key < count(vertices); ++key) {
        const SpherePosition centre = at(vertices, key);
        for (const int32_t kind : { cells, edges, vertices }) {
            const auto all = around(vertices, key, kind);
            for (size_t k = 0; k < all.size(); ++k) EXPECT_LT(turn(centre, all[k], all[(k + 1) % all.size()]), 0) << "vertex " << key;
        }
    }
}

// Points of a side lie where they are from either parallelogram.
TEST_P(Positions, SidesMeet) {
    const int64_t n = grid.n();
    for (int32_t p = 0; p < grid.n_parallelograms(); ++p)
        for (int64_t t = 0; t <= n; ++t)
            for (const LatticePoint &point :
                 { LatticePoint{ p, 6 * t, 0 }, LatticePoint{ p, 0, 6 * t }, LatticePoint{ p, 6 * n, 6 * t }, LatticePoint{ p, 6 * t, 6 * n } })
                EXPECT_NEAR(dot(sphere_position(grid, point), sphere_position(grid, grid.home(point))), 1, 1e-14);
}

} // namespace
