// SPDX-License-Identifier: BSD-3-Clause
// Values of a part on its own level and on the next coarser one, whose cells are some of its own wide. Each value is one fixed expression of others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "halo_levels.h"

namespace halo {

// Of one part, in elements; `first`: point (0, 0, 0) of the first component.
struct PartValues {
    std::byte *first = nullptr;
    std::array<int64_t, 3> stride{};
    int64_t component_stride = 0;
};

// Fine cells of a coarse one per direction; 1 in directions that are not refined, or not in use.
using LevelRatio = std::array<int64_t, 3>;
inline LevelRatio halves(int32_t n_dims) { return { 2, n_dims > 1 ? 2 : 1, n_dims > 2 ? 2 : 1 }; }

// What an operator works on.
struct LevelValues {
    halo_type type = HALO_FLOAT64; // real or complex
    LevelRatio ratio{ 2, 2, 2 };
    int32_t first_component = 0;
    int32_t n_components = 1;
};
bool has_level_operators(halo_type type);

// Points of a box of the coarse index space become means of what covers them in the fine one: of as many values in each direction in which their
// centring has cells as that is refined by. Nodes are copied, edges are means by length, faces by area, cells by volume. Sums go along x first, then
// y, then z, each upwards.
void restrict_values(const LevelValues &values, int32_t centring, const PartValues &fine, const PartValues &coarse, const halo_box &coarse_points);

// Points of a box of the fine index space are made from coarse ones. In directions in which their centring has cells: the value of the coarse cell
// that they lie in; with `linear`, and its slope there: the smaller one of both sides, 0 where they have different signs (minmod), for which one
// coarse cell around it is read. In the other directions: that of the coarse point in the same place, or a mean of the two around them.
void prolongate_values(const LevelValues &values, int32_t centring, bool linear, const PartValues &coarse, const PartValues &fine,
                       const halo_box &fine_points);

// Coarse cells of a box have been divided into halves: the faces between these, of values in each direction, are made from those around the coarse
// cell, so that what flows out of each fine cell (upper less lower faces, of all directions) is the same part of what flows out of the coarse one. Of
// such values those are taken whose curl is as smooth: G. Toth, P. L. Roe, J. Comput. Phys. 180 (2002) 736. `faces`: as many as there are directions.
void divide_cells(const LevelValues &values, std::span<const PartValues> faces, const halo_box &coarse_cells);

// Cells of a box become (1 - fraction) * older + fraction * newer; at 0 and 1 what one of them has.
void mix_values(const LevelValues &values, double fraction, const PartValues &older, const PartValues &newer, const PartValues &into,
                const halo_box &points);

} // namespace halo
