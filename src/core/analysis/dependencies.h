// SPDX-License-Identifier: BSD-3-Clause
// Refuses sequences of stages that no widths of ghosts could make right.
#pragma once

#include "analysis/program.h"

namespace halo {

// HALO_ERR_ARGUMENT: own output read at other cells; written after it was read at other cells (HALO_STENCIL_BY_POINTS); a temporary read before it is
// written, in a cycle or not. HALO_ERR_BOUNDS: levels outside of the axis are read. The text names stages, fields and extents.
void check_dependencies(const Program &program);

} // namespace halo
