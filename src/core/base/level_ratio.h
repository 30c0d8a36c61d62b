// SPDX-License-Identifier: BSD-3-Clause
// How cells of two levels lie in each other.
#pragma once

#include <array>
#include <cstdint>

#include "halo.h"

namespace halo {

// Fine cells of a coarse one per direction; 1 in directions that are not refined, or not in use.
using LevelRatio = std::array<int64_t, 3>;
inline LevelRatio halves(int32_t n_dims) { return { 2, n_dims > 1 ? 2 : 1, n_dims > 2 ? 2 : 1 }; }

// Are there operators between levels for its values?
inline bool has_level_operators(halo_type type) {
    return type == HALO_FLOAT32 || type == HALO_FLOAT64 || type == HALO_COMPLEX64 || type == HALO_COMPLEX128;
}

} // namespace halo
