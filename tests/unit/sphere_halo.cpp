// SPDX-License-Identifier: BSD-3-Clause
// What a part stores follows from its surroundings alone, however large the sphere.
#include <gtest/gtest.h>

#include "sphere/part_halo.h"

namespace {

using namespace halo;

constexpr int64_t width = 8;

// A square of 8 x 8 in the corner (n, 0) of each parallelogram, and the rest in two boxes.
std::vector<halo_sphere_box> boxes_of(int32_t n_parallelograms, int64_t n) {
    std::vector<halo_sphere_box> boxes;
    for (int32_t p = 0; p < n_parallelograms; ++p) {
        boxes.push_back({ p, 0, { n - width, 0 }, { n, width } });
        boxes.push_back({ p, 0, { 0, 0 }, { n - width, width } });
        boxes.push_back({ p, 0, { 0, width }, { n, n } });
    }
    return boxes;
}

class Halos : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Solids, Halos, testing::Values(HALO_SPHERE_ICOSAHEDRON, HALO_SPHERE_OCTAHEDRON));

TEST_P(Halos, AsManyGhostsOnTheLargestSphere) {
    const int32_t n_parallelograms = GetParam() == HALO_SPHERE_ICOSAHEDRON ? 10 : 4;
    std::vector<int64_t> ends[2];
    for (const bool large : { false, true }) {
        halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
        desc.solid = GetParam();
        desc.n = large ? most_sphere_side : 64;
        const std::vector<halo_sphere_box> boxes = boxes_of(n_parallelograms, desc.n);
        desc.boxes = boxes.data();
        desc.n_boxes = std::ssize(boxes);
        const SphereSplit split(desc, 1);
        for (int32_t p = 0; p < n_parallelograms; ++p)
            for (int32_t kind = 0; kind < n_sphere_kinds; ++kind) {
                const SpherePartHalo halo(split, 3 * p, kind, 3);
                EXPECT_EQ(halo.n_owned(), width * width * sphere_colours(kind));
                ends[large].insert(ends[large].end(), halo.ring_ends().begin(), halo.ring_ends().end());
                for (int64_t index = 0; index < halo.n_local(); ++index) EXPECT_EQ(halo.index_of(halo.point(index)), index);
            }
    }
    EXPECT_EQ(ends[0], ends[1]);
}

// Around a box in the midst of a parallelogram rings are those of the plane.
TEST_P(Halos, RingsInThePlane) {
    halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
    desc.solid = GetParam();
    desc.n = 5 * width;
    desc.parts_per_side = 5;
    const SphereSplit split(desc, 1);
    const SpherePartHalo vertices(split, 12, HALO_SPHERE_VERTICES, 3), cells(split, 12, HALO_SPHERE_CELLS, 1);
    // A parallelogram of w x w vertices has a first ring of 4 w + 2, each further one has 6 more.
    const int64_t w = width, own = w * w;
    EXPECT_EQ(vertices.ring_ends(), (std::vector<int64_t>{ own, own + 4 * w + 2, own + 8 * w + 10, own + 12 * w + 24 }));
    // A cell across each of 4 w outer edges.
    EXPECT_EQ(cells.ring_ends()[1], 2 * own + 4 * w);
}

} // namespace
