// SPDX-License-Identifier: BSD-3-Clause
// Joins between blocks that fill just the ghosts of given ranges of levels.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "analysis/program.h"
#include "topology/topology.h"

namespace halo {

// A topology of the parts of `blocks` whose joins fill the ghosts of `ranges`. Collective.
std::unique_ptr<Topology> topology_of_ranges(Context &context, const Program &program, std::span<const halo_stencil_range> ranges,
                                             const halo_blocks_desc &blocks);

} // namespace halo
