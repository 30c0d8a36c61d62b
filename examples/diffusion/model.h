// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cell.h"

#include <array>
#include <cstdint>

namespace diffusion {

/// Fields, and the stages of a step, by number. Temporaries hold nothing between steps.
enum Field : std::int32_t { u, wind, lap, flux_x, flux_y, diffused, upper, right_side, n_fields };
enum Stage : std::int32_t { find_lap, find_flux_x, find_flux_y, diffuse, sweep_up, sweep_down, n_stages };
constexpr Stage stages[] = { find_lap, find_flux_x, find_flux_y, diffuse, sweep_up, sweep_down };

/// A field of one block by cell, ghosts too.
struct View {
    double *first = nullptr; // cell (0, 0, 0)
    std::int64_t stride[3] = {};

    double &operator()(std::int64_t x, std::int64_t y, std::int64_t z) const { return first[x * stride[0] + y * stride[1] + z * stride[2]]; }
};
using Views = std::array<View, n_fields>; // with the same strides

/// Low inclusive, high exclusive; in z they are levels.
struct Cells {
    std::int64_t low[3], high[3];
};

/// One stage on some cells, as cell.h has it for each. Levels below are done, where it sweeps up; those above, where it sweeps down.
void run(Stage stage, const Views &fields, const Cells &cells);

/// At the start, of a cell of the whole grid.
double initial_u(std::int64_t x, std::int64_t y, std::int64_t z);
/// Vertical, between cells (x - 1) and x and below level z; it stays.
double initial_wind(std::int64_t x, std::int64_t y, std::int64_t z);

} // namespace diffusion
