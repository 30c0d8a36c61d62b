// SPDX-License-Identifier: BSD-3-Clause
// What every device asks of operations between levels.
#pragma once

#include "halo_plugin.h"

namespace halo::device {

// How many of its values an operation has.
int n_values(const halo_level_operation &of);
// Directions up to the last that is refined.
int n_refined(const halo_level_operation &of);
// Refined directions are the first ones, and each by halves.
bool is_halves(const halo_level_operation &of);
// Of the numbers that values are, or complex ones have two of; 0: it has no means.
size_t real_bytes(halo_type type);

// Texts of what is wrong with an operation; nullptr: nothing.
const char *problem_of(const halo_level_operation &of);

} // namespace halo::device
