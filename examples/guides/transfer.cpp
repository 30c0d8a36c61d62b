// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cstdio>

#include <halo.hpp>

namespace {

constexpr int64_t nx = 12, ny = 8;

double value(int64_t x, int64_t y) { return static_cast<double>((x + nx) % nx + 100 * ((y + ny) % ny)); }

halo::Field make_field(const halo::Topology &grid, int32_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u";
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    halo::Field field(grid, desc);
    field.allocate();
    return field;
}

// Calls visit(cell, wanted) for this rank's cells, `ghosts` of them around each part too.
template <class Visit>
void each_cell(const halo::Topology &grid, const halo::Field &field, int64_t ghosts, Visit &&visit) {
    for (const int64_t gid : grid.local_parts()) {
        const halo_box box = grid.part(gid).cells;
        const halo_layout at = field.layout(gid);
        double *u = field.data(gid) + at.first_owned;
        for (int64_t y = box.low[1] - ghosts; y < box.high[1] + ghosts; ++y)
            for (int64_t x = box.low[0] - ghosts; x < box.high[0] + ghosts; ++x)
                visit(u[(x - box.low[0]) * at.stride[0] + (y - box.low[1]) * at.stride[1]], value(x, y));
    }
}

} // namespace

int main() try {
    const halo::Context context;

    halo_blocks_desc blocks = HALO_BLOCKS_DESC_INIT; // the solver's grid: blocks of 3 by 2 cells
    blocks.n_dims = 2, blocks.n_blocks[0] = blocks.n_blocks[1] = 4, blocks.n_cells[0] = nx / 4, blocks.n_cells[1] = ny / 4;
    blocks.periodic[0] = blocks.periodic[1] = 1;
    constexpr halo_box columns[] = { { { 0, 0, 0 }, { 5, ny, 1 } }, { { 5, 0, 0 }, { nx, ny, 1 } } };
    halo_boxes_desc boxes = HALO_BOXES_DESC_INIT; // the same domain cut for something else: two columns
    boxes.n_dims = 2, boxes.domain.high[0] = nx, boxes.domain.high[1] = ny, boxes.periodic[0] = boxes.periodic[1] = 1;
    boxes.boxes = columns, boxes.n_boxes = std::size(columns);
    const halo::Topology solver(context, blocks), other(context, boxes);
    const halo::Field from = make_field(solver, 0), to = make_field(other, 1);

    halo_transfer_desc desc = HALO_TRANSFER_DESC_INIT; // HALO_TRANSFER_COPY
    for (int d = 0; d < 2; ++d) desc.destination_ghosts[d] = desc.destination_ghosts[d + 3] = 1;
    const std::array<halo_field *, 1> sources = { from }, destinations = { to };
    halo::Exchange move(sources, destinations, desc);
    each_cell(solver, from, 0, [](double &cell, double wanted) { cell = wanted; });
    move.start();
    move.finish();
    int wrong = 0;
    each_cell(other, to, 1, [&](double cell, double wanted) { wrong += cell != wanted; }); // ghosts, too
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const halo::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
