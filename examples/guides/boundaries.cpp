// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>

#include <halo_views.hpp>

namespace {

constexpr int blocks = 3, cells = 4, ghosts = 2;

// A linear function of the place of a cell: what goes on linearly beyond the domain must hold it there too.
double value(const halo_part &part, int64_t i, int64_t j) {
    return 2.0 + 3.0 * static_cast<double>(part.cells.low[0] + i) - 5.0 * static_cast<double>(part.cells.low[1] + j);
}

halo_box with_ghosts(halo_box box) {
    for (int d = 0; d < 2; ++d) box.low[d] -= ghosts, box.high[d] += ghosts;
    return box;
}

} // namespace

int main() try {
    const halo::Context context;
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT; // 3 by 3 blocks, nothing periodic
    desc.n_dims = 2;
    for (int d = 0; d < 2; ++d) desc.n_blocks[d] = blocks, desc.n_cells[d] = cells;
    const halo::Topology grid(context, desc);
    halo_field_desc field_desc = HALO_FIELD_DESC_INIT;
    field_desc.name = "u";
    for (int d = 0; d < 2; ++d) field_desc.ghost_low[d] = field_desc.ghost_high[d] = ghosts;
    halo::Field field(grid, field_desc);
    field.allocate();
    halo::Exchange exchange({ field });

    for (const halo_part &part : halo::parts(grid)) {
        const auto u = halo::view(field, part.gid);
        halo::for_each(halo::owned_cells(part), [&](int64_t i, int64_t j, int64_t) { u(i, j) = value(part, i, j); });
    }
    exchange.start();
    exchange.finish(); // ghosts that are other blocks' cells
    int wrong = 0;
    for (const halo_part &part : halo::parts(grid)) {
        const auto u = halo::view(field, part.gid);
        for (const halo::Side &side : halo::sides(grid, field, part.gid)) halo::fill_extrapolated(u, side, {}, 1); // and those that are nobody's
        halo::for_each(with_ghosts(halo::owned_cells(part)), [&](int64_t i, int64_t j, int64_t) { wrong += u(i, j) != value(part, i, j); });
    }
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
} catch (const halo::error &failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
}
