// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <halo.hpp>

namespace {

constexpr int64_t nx = 4, ny = 3;

// Part 0 has 4 by 3 cells. Part 1 lies to its right and is turned: its y runs to the right, its x down.
constexpr int64_t cells[] = { nx, ny, 1, ny, nx, 1 };
constexpr halo_join joins[] = {
    { 1, 0, { { 0, 0, 0 }, { ny, 1, 1 } }, { { nx, 0, 0 }, { nx + 1, ny, 1 } }, { 1, 0, 2 }, { 1, -1, 1 } },
    { 0, 1, { { nx - 1, 0, 0 }, { nx, ny, 1 } }, { { 0, -1, 0 }, { ny, 0, 1 } }, { 1, 0, 2 }, { -1, 1, 1 } },
};

// Place in the plane, and a vector that is (1, 2) in the plane, both in the words of a part.
double place(int64_t gid, int64_t x, int64_t y) { return static_cast<double>(gid == 0 ? x + 100 * y : nx + y + 100 * (ny - 1 - x)); }
constexpr double wind[2][2] = { { 1, 2 }, { -2, 1 } };

// Calls visit(value, wanted) for both fields in a box of a part.
template <class Visit>
void each_value(const halo::Field &places, const halo::Field &winds, int64_t gid, const halo_box &box, Visit &&visit) {
    const halo_layout p = places.layout(gid), w = winds.layout(gid);
    double *at = places.data(gid) + p.first_owned, *components = winds.data(gid) + w.first_owned;
    for (int64_t y = box.low[1]; y < box.high[1]; ++y)
        for (int64_t x = box.low[0]; x < box.high[0]; ++x) {
            visit(at[x * p.stride[0] + y * p.stride[1]], place(gid, x, y));
            for (int64_t c = 0; c < 2; ++c) visit(components[x * w.stride[0] + y * w.stride[1] + c * w.component_stride], wind[gid][c]);
        }
}

} // namespace

int main() try {
    const halo::Context context;
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT; // the same on all ranks
    desc.n_dims = 2, desc.cells = cells, desc.n_parts = 2, desc.joins = joins, desc.n_joins = 2, desc.reach = 1;
    const halo::Topology grid(context, desc);

    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    for (int d = 0; d < 2; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = 1;
    field_desc.name = "place";
    halo::Field places(grid, field_desc);
    field_desc.name = "wind", field_desc.n_components = 2, field_desc.vector = HALO_VECTOR_COMPONENTS; // components change place and sign on the way
    halo::Field winds(grid, field_desc);
    places.allocate();
    winds.allocate();
    halo::Exchange ghosts({ places, winds }); // both in one message

    for (const int64_t gid : grid.local_parts())
        each_value(places, winds, gid, { { 0, 0, 0 }, { cells[3 * gid], cells[3 * gid + 1], 1 } },
                   [](double &value, double wanted) { value = wanted; });
    ghosts.start();
    ghosts.finish();
    int wrong = 0;
    for (const int64_t gid : grid.local_parts()) // the joins are in the order of their receivers
        each_value(places, winds, gid, joins[gid].receive, [&](double value, double wanted) { wrong += value != wanted; });
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const halo::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
