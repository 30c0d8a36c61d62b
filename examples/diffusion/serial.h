// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "solver.h"

#include <vector>

namespace diffusion {

/// The whole grid in one piece on one rank, with ghosts that plain loops fill; nothing of libhalo. Values of u by cell after so many steps, x
/// fastest.
std::vector<double> run_serially(const Grid &grid, int n_steps);

} // namespace diffusion
