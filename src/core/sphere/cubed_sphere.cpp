// SPDX-License-Identifier: BSD-3-Clause
#include "sphere/charts.h"
#include "sphere/quads.h"

namespace halo {

namespace {

constexpr size_t n_faces = 6;

using Direction = std::array<int32_t, 3>; // in space, along an axis

struct Face {
    Direction axis[2]; // of its index space
    Direction outward;
};

constexpr Face faces[n_faces] = {
    { { { 0, 1, 0 }, { 0, 0, 1 } }, { 1, 0, 0 } },  { { { -1, 0, 0 }, { 0, 0, 1 } }, { 0, 1, 0 } }, { { { 0, -1, 0 }, { 0, 0, 1 } }, { -1, 0, 0 } },
    { { { 1, 0, 0 }, { 0, 0, 1 } }, { 0, -1, 0 } }, { { { 0, 1, 0 }, { -1, 0, 0 } }, { 0, 0, 1 } }, { { { 0, 1, 0 }, { 1, 0, 0 } }, { 0, 0, -1 } },
};

int32_t along(const Direction &a, const Direction &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

size_t face_towards(const Face &from, size_t d, int32_t side) {
    size_t there = 0;
    while (along(faces[there].outward, from.axis[d]) != side) ++there;
    return there;
}

// Beyond the low (-1) or high (1) side of direction d of a face: what runs outwards goes on into the cube there.
Passage across(const Face &here, size_t d, int32_t side, const ChartsDesc &desc) {
    const int64_t n = desc.cells[0];
    const size_t along_side = 1 - d;
    Passage passage;
    passage.chart = static_cast<int32_t>(face_towards(here, d, side));
    passage.cells = desc.chart();
    passage.cells.low[d] = side > 0 ? n : -desc.reach;
    passage.cells.high[d] = side > 0 ? n + desc.reach : 0;
    for (int32_t axis = 0; axis < 2; ++axis) {
        const Direction &there = faces[passage.chart].axis[axis];
        if (const int32_t runs = along(there, here.axis[along_side]); runs != 0) {
            passage.axis[along_side] = axis;
            passage.sign[along_side] = runs;
            passage.shift[along_side] = runs > 0 ? 0 : n - 1;
        } else {
            const int32_t inwards = -along(there, here.outward);
            const int64_t first_here = side > 0 ? n : -1, first_there = inwards > 0 ? 0 : n - 1;
            passage.axis[d] = axis;
            passage.sign[d] = side * inwards;
            passage.shift[d] = first_there - passage.sign[d] * first_here;
        }
    }
    passage.vector = passage.sign;
    return passage;
}

Passages passages_of(const ChartsDesc &desc) {
    Passages all(n_faces);
    for (size_t f = 0; f < n_faces; ++f) {
        all[f].resize(1);
        all[f][0].chart = static_cast<int32_t>(f);
        all[f][0].cells = desc.chart();
        for (const size_t d : { 0, 1 })
            for (const int32_t side : { -1, 1 }) all[f].push_back(across(faces[f], d, side, desc));
    }
    return all;
}

} // namespace

std::unique_ptr<Topology> make_cubed_sphere(Context &context, const halo_cubed_sphere_desc &desc) {
    ChartsDesc charts;
    charts.what = "cubed sphere";
    charts.n_charts = n_faces;
    charts.cells = { desc.n, desc.n };
    charts.parts = { desc.parts_per_side, desc.parts_per_side };
    charts.levels = desc.levels;
    charts.reach = desc.reach;
    charts.owner = desc.owner;
    return std::make_unique<ChartsTopology>(context, charts, [&] { return passages_of(charts); });
}

} // namespace halo
