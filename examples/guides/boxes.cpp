// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <halo.hpp>

namespace {

constexpr int nx = 12, ny = 8, ghosts = 2;
constexpr double outside = -1;

// Four boxes of several sizes around a hole; the domain is periodic along x.
constexpr halo_box boxes[] = {
    { { 0, 0, 0 }, { 5, 8, 1 } },
    { { 5, 0, 0 }, { 12, 2, 1 } },
    { { 5, 5, 0 }, { 12, 8, 1 } },
    { { 9, 2, 0 }, { 12, 5, 1 } },
};

bool has(const halo_box &box, int64_t x, int64_t y) { return x >= box.low[0] && x < box.high[0] && y >= box.low[1] && y < box.high[1]; }

double value(int64_t x, int64_t y) {
    const int64_t in = (x + nx) % nx;
    for (const halo_box &box : boxes)
        if (has(box, in, y)) return static_cast<double>(in + 100 * y);
    return outside; // no box has this cell: exchanges leave it alone
}

// Calls visit(cell, x, y, owned) for all cells and ghosts of this rank.
template <class Visit>
void each_cell(const halo::Topology &grid, const halo::Field &field, Visit &&visit) {
    for (const int64_t gid : grid.local_parts()) { // may be none
        const halo_box box = grid.part(gid).cells;
        const halo_layout at = field.layout(gid);
        double *u = field.data(gid) + at.first_owned;
        for (int64_t y = box.low[1] - ghosts; y < box.high[1] + ghosts; ++y)
            for (int64_t x = box.low[0] - ghosts; x < box.high[0] + ghosts; ++x)
                visit(u[(x - box.low[0]) * at.stride[0] + (y - box.low[1]) * at.stride[1]], x, y, has(box, x, y));
    }
}

} // namespace

int main() try {
    const halo::Context context;
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 2, desc.domain.high[0] = nx, desc.domain.high[1] = ny, desc.periodic[0] = 1;
    desc.boxes = boxes, desc.n_boxes = std::size(boxes); // gid: place in the list. desc.owner: ranks of your choice
    const halo::Topology grid(context, desc);

    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "u";
    for (int d = 0; d < 2; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = ghosts;
    halo::Field field(grid, field_desc);
    field.allocate();
    halo::Exchange exchange({ field });

    each_cell(grid, field, [](double &cell, int64_t x, int64_t y, bool owned) { cell = owned ? value(x, y) : outside; });
    exchange.start();
    exchange.finish();
    int wrong = 0;
    each_cell(grid, field, [&](double cell, int64_t x, int64_t y, bool) { wrong += cell != value(x, y); });
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const halo::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
