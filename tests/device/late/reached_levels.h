// SPDX-License-Identifier: BSD-3-Clause
// What operations between levels reach.
#pragma once

#include "halo_plugin.h"
#include "memory.h"

namespace late {

// Where the device has the values of an operation that nothing is wrong with. False: it would go beyond its memory.
bool reach_values(const Memory &memory, halo_level_operation &of);

} // namespace late
