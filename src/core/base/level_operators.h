// SPDX-License-Identifier: BSD-3-Clause
// Values of a block on its own level and on the next coarser one, whose cells are two wide per direction in use. Each value is one fixed expression
// of others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "halo_levels.h"

namespace halo {

// Of one part, in elements; `first`: point (0, 0, 0) of the first component.
struct PartValues {
    std::byte *first = nullptr;
    std::array<int64_t, 3> stride{};
    int64_t component_stride = 0;
};

// What an operator works on.
struct LevelValues {
    halo_type type = HALO_FLOAT64; // real or complex
    int32_t n_dims = 3;
    int32_t first_component = 0;
    int32_t n_components = 1;
};
bool has_level_operators(halo_type type);

// Points of a box of the coarse index space become means of what covers them in the fine one: of 2 values in each direction in use in which their
// centring has cells. Nodes are copied, edges are means by length, faces by area, cells by volume. Along x first, then y, then z.
void restrict_values(const LevelValues &values, int32_t centring, const PartValues &fine, const PartValues &coarse, const halo_box &coarse_points);

// Cells of a box of the fine index space get the value of the coarse cell that they lie in; with `linear`, and its slope per direction: the smaller
// one of both sides, 0 where they have different signs (minmod). Reads one coarse cell around them per direction.
void prolongate_cells(const LevelValues &values, bool linear, const PartValues &coarse, const PartValues &fine, const halo_box &fine_cells);

} // namespace halo
