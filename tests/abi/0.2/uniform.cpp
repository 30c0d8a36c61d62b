// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <halo.hpp>

namespace {

constexpr int blocks = 4, cells = 8, n = blocks * cells, ghosts = 2;

double value(int64_t x, int64_t y) { // of a cell of the periodic grid
    return static_cast<double>((x + n) % n + 1000 * ((y + n) % n));
}

// Calls visit(cell, wanted) for this rank's cells, `margin` ghosts around each block too.
template <class Visit>
void each_cell(const halo::Topology &grid, const halo::Field &field, int64_t margin, Visit &&visit) {
    for (const int64_t gid : grid.local_parts()) {
        const halo_part part = grid.part(gid);
        const halo_layout at = field.layout(gid); // x fastest, ghosts around
        double *u = field.data(gid) + at.first_owned;
        for (int64_t y = -margin; y < cells + margin; ++y)
            for (int64_t x = -margin; x < cells + margin; ++x)
                visit(u[x * at.stride[0] + y * at.stride[1]], value(part.cells.low[0] + x, part.cells.low[1] + y));
    }
}

} // namespace

int main() try {
    const halo::Context context;

    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT; // 4 by 4 blocks of 8 by 8 cells, dealt over the ranks
    desc.n_dims = 2;
    for (int d = 0; d < 2; ++d) desc.n_blocks[d] = blocks, desc.n_cells[d] = cells, desc.periodic[d] = 1;
    const halo::Topology grid(context, desc);

    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "u";
    for (int d = 0; d < 2; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = ghosts;
    halo::Field field(grid, field_desc);
    field.allocate(); // the library's storage; your own: field.bind
    halo::Exchange exchange({ field });

    each_cell(grid, field, 0, [](double &cell, double wanted) { cell = wanted; });
    exchange.start();
    // ... cells that need no ghosts: field.interior_rim ...
    exchange.finish();
    int wrong = 0;
    each_cell(grid, field, ghosts, [&](double cell, double wanted) { wrong += cell != wanted; });
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const halo::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
