// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "halo_sphere.hpp"

namespace {

TEST(Classes, Spheres) {
    const halo::Context context;
    halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
    desc.solid = HALO_SPHERE_OCTAHEDRON;
    desc.n = 3;
    halo::Sphere sphere(context, desc);
    ASSERT_EQ(sphere.local_parts().size(), 4u);
    const int64_t gid = sphere.local_parts()[1];
    const halo_sphere_part part = sphere.part(gid);
    EXPECT_EQ(part.parallelogram, 1);
    EXPECT_EQ(part.n_owned[HALO_SPHERE_CELLS], 18);
    EXPECT_EQ(sphere.ring_ends(gid, HALO_SPHERE_CELLS), (std::vector<int64_t>{ 18, 18 + 12 })); // a cell across each of twelve outer edges
    EXPECT_EQ(sphere.keys(gid, HALO_SPHERE_VERTICES)[0], 9u);
    EXPECT_EQ(sphere.neighbours(gid, HALO_SPHERE_VERTICES, HALO_SPHERE_EDGES).size(), static_cast<size_t>(part.n_local[HALO_SPHERE_VERTICES]) * 6);
    EXPECT_THROW(sphere.keys(gid, 7), halo::error);
    const halo::Topology edges = sphere.topology(HALO_SPHERE_EDGES);
    EXPECT_EQ(edges.keys_report().n_global, 108);
}

TEST(Classes, KeysOfASphere) {
    const halo::SphereGrid grid{ HALO_SPHERE_OCTAHEDRON, 3 };
    const halo_sphere_entity cell{ 1, 1, 2, 1 };
    const std::uint64_t key = grid.key(HALO_SPHERE_CELLS, cell);
    EXPECT_EQ(key, ((1u * 3 + 1) * 2 + 1) * 3 + 2);
    const halo_sphere_entity again = grid.entity_of(HALO_SPHERE_CELLS, key);
    EXPECT_EQ(again.parallelogram, 1);
    EXPECT_EQ(again.i, 2);
    const std::vector<std::uint64_t> neighbours = grid.neighbours(HALO_SPHERE_CELLS, key, HALO_SPHERE_CELLS);
    ASSERT_EQ(neighbours.size(), 3u);
    for (const std::uint64_t one : neighbours) {
        const std::vector<std::uint64_t> back = grid.neighbours(HALO_SPHERE_CELLS, one, HALO_SPHERE_CELLS);
        EXPECT_NE(std::find(back.begin(), back.end(), key), back.end());
    }
    EXPECT_EQ(grid.neighbours(HALO_SPHERE_VERTICES, 36, HALO_SPHERE_VERTICES).size(), 4u); // a pole
    EXPECT_EQ(grid.position(HALO_SPHERE_VERTICES, 36), (std::array<double, 3>{ 0, 0, 1 }));
    EXPECT_THROW(grid.key(HALO_SPHERE_CELLS, { 4, 0, 0, 0 }), halo::error);
}

TEST(Classes, GridsOfQuadrilaterals) {
    const halo::Context context;
    halo_cubed_sphere_desc cube = HALO_CUBED_SPHERE_DESC_INIT;
    cube.n = 4, cube.parts_per_side = 2;
    const halo::Topology faces = halo::cubed_sphere(context, cube);
    EXPECT_EQ(faces.local_parts().size(), 24u);
    EXPECT_EQ(faces.part(7).cells.low[0], 2); // part (1, 1) of face 1
    halo_latitudes_desc latitudes = HALO_LATITUDES_DESC_INIT;
    latitudes.cells[0] = 8, latitudes.cells[1] = 4, latitudes.parts[0] = 2;
    EXPECT_EQ(halo::latitudes(context, latitudes).part(1).cells.low[0], 4);
    const std::int64_t cells[] = { 4, 8, 4 };
    halo_reduced_rows_desc rows = HALO_REDUCED_ROWS_DESC_INIT;
    rows.n_rows = 3, rows.cells = cells;
    EXPECT_EQ(halo::reduced_rows(context, rows).keys_report().n_global, 16);
    EXPECT_EQ(halo::reduced_rows_neighbours(rows, 0), (std::vector<std::uint64_t>{ 3, 1, 2, 4, 5 }));
    rows.n_rows = 0;
    EXPECT_THROW(halo::reduced_rows(context, rows), halo::error);
}

} // namespace
