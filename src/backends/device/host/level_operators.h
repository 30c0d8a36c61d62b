// SPDX-License-Identifier: BSD-3-Clause
// Values of a part made of others on the next coarser or finer level.
#pragma once

#include "halo_plugin.h"

namespace halo::host {

// Of one that nothing is wrong with.
void run_level_operation(const halo_level_operation &of);

} // namespace halo::host
