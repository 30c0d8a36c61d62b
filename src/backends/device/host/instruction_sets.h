// SPDX-License-Identifier: BSD-3-Clause
// The kernels that this processor can run.
#pragma once

#include <vector>

#include "move.h"

namespace halo::host {

// From the plainest to the best; never empty.
std::vector<const MoveKernels *> usable_kernels();

} // namespace halo::host
