// SPDX-License-Identifier: BSD-3-Clause
#include "level.h"

namespace multigrid {

namespace {

halo_blocks_desc blocks_of(int blocks, int cells) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 2;
    for (int d = 0; d < 2; ++d) desc.n_blocks[d] = blocks, desc.n_cells[d] = cells;
    return desc;
}

halo_field_desc described(const char *name, int ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    return desc;
}

} // namespace

Level::Level(const halo::Context &context, int blocks, int cells)
    : grid_(context, blocks_of(blocks, cells)),
      u_(grid_, described("u", 1)),
      f_(grid_, described("f", 0)),
      ghosts_((u_.allocate(), f_.allocate(), std::initializer_list<halo_field *>{ u_ })),
      parts_(halo::parts(grid_)),
      walls_(halo::all_sides(grid_, u_)),
      h_(1.0 / (blocks * cells)) {}

void Level::fill_ghosts() {
    ghosts_.start();
    ghosts_.finish();
    for (const halo::PartSide &of_part : walls_) { // u is odd there
        const halo::Side &wall = of_part.side;
        const halo::View<> u = halo::view(u_, of_part.gid);
        const double sign = wall.outward[0] != 0 && wall.outward[1] != 0 ? 1.0 : -1.0;
        halo::fill_by(u, wall, {}, [&](const halo::Index &ghost, std::int64_t) { return sign * u(wall.mirrored(ghost)); });
    }
}

void Level::smooth(int sweeps) {
    for (int half = 0; half < 2 * sweeps; ++half) {
        fill_ghosts();
        for (const halo_part &part : parts_) {
            const halo::View<> u = this->u(part), f = this->f(part);
            halo::for_each(halo::owned_cells(part), [&](std::int64_t i, std::int64_t j, std::int64_t) {
                if ((part.cells.low[0] + i + part.cells.low[1] + j + half) % 2 != 0) return;
                u(i, j) = 0.25 * (h_ * h_ * f(i, j) + (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)));
            });
        }
    }
}

double Level::residual(const halo_part &part, std::int64_t i, std::int64_t j) const {
    const halo::View<> u = this->u(part);
    return f(part)(i, j) - (4 * u(i, j) - (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))) / (h_ * h_);
}

void restrict_residual(const Level &fine, const Level &coarse) {
    for (std::size_t p = 0; p < fine.parts().size(); ++p) {
        const halo_part &part = fine.parts()[p], &below = coarse.parts()[p]; // the same block
        const halo::View<> u = coarse.u(below), f = coarse.f(below);
        halo::for_each(halo::owned_cells(below), [&](std::int64_t i, std::int64_t j, std::int64_t) {
            f(i, j) = 0.25 * (fine.residual(part, 2 * i, 2 * j) + fine.residual(part, 2 * i + 1, 2 * j) + fine.residual(part, 2 * i, 2 * j + 1) +
                              fine.residual(part, 2 * i + 1, 2 * j + 1));
            u(i, j) = 0;
        });
    }
}

void add_correction(const Level &coarse, const Level &fine) {
    for (std::size_t p = 0; p < fine.parts().size(); ++p) {
        const halo::View<> u = fine.u(fine.parts()[p]), v = coarse.u(coarse.parts()[p]);
        halo::for_each(halo::owned_cells(fine.parts()[p]), [&](std::int64_t i, std::int64_t j, std::int64_t) {
            const std::int64_t x = i / 2, y = j / 2, beside_x = x + (i % 2 != 0 ? 1 : -1), beside_y = y + (j % 2 != 0 ? 1 : -1);
            u(i, j) += (9 * v(x, y) + 3 * v(beside_x, y) + 3 * v(x, beside_y) + v(beside_x, beside_y)) / 16;
        });
    }
}

} // namespace multigrid
