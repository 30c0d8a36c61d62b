// SPDX-License-Identifier: BSD-3-Clause
#include "level.h"

#include "digest.h"

#include <algorithm>
#include <utility>

namespace multigrid {

halo::Field make_field(const halo::Topology &grid, const char *name, int ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    halo::Field field(grid, desc);
    field.allocate();
    return field;
}

Level::Level(halo::Topology grid, int cells)
    : cells_(cells),
      grid_(std::move(grid)),
      u_(make_field(grid_, "u", 1)),
      f_(make_field(grid_, "f", 0)),
      ghosts_({ u_ }),
      parts_(halo::parts(grid_)),
      walls_(halo::all_sides(grid_, u_)) {}

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
                u(i, j) = 0.25 * (width() * width() * f(i, j) + (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1)));
            });
        }
    }
}

double Level::residual(const halo_part &part, std::int64_t i, std::int64_t j) const {
    const halo::View<> u = this->u(part);
    return f(part)(i, j) - (4 * u(i, j) - (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))) / (width() * width());
}

void set_problem(const Level &level) {
    level.for_each_cell([&](const halo_part &part, std::int64_t i, std::int64_t j, double x, double y) {
        level.f(part)(i, j) = 5 * std::numbers::pi * std::numbers::pi * known(x, y);
    });
}

double greatest_residual(const halo::Context &context, Level &level) {
    level.fill_ghosts();
    double greatest = 0;
    level.for_each_cell([&](const halo_part &part, std::int64_t i, std::int64_t j, double, double) {
        greatest = std::max(greatest, std::abs(level.residual(part, i, j)));
    });
    return context.allreduce(greatest, HALO_MAX);
}

Result result_of(const halo::Context &context, const Level &level) {
    double error = 0;
    ranks::Digest digest;
    level.for_each_cell([&](const halo_part &part, std::int64_t i, std::int64_t j, double x, double y) {
        const double u = level.u(part)(i, j);
        error = std::max(error, std::abs(u - known(x, y)));
        digest.add(static_cast<std::uint64_t>((part.cells.low[1] + j) * level.cells() + part.cells.low[0] + i), u);
    });
    return { context.allreduce(error, HALO_MAX), digest.value(context) };
}

} // namespace multigrid
