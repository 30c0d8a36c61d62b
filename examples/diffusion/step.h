// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "model.h"

#include <halo_stencil.hpp>

namespace diffusion {

/// What each stage of a step reads and writes, and on which levels, for blocks of so many cells; analysed.
halo::Stencil describe_step(std::int64_t cells_x, std::int64_t cells_y);

} // namespace diffusion
