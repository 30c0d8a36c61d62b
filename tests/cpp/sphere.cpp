// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

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
    rows.n_rows = 0;
    EXPECT_THROW(halo::reduced_rows(context, rows), halo::error);
}

} // namespace
