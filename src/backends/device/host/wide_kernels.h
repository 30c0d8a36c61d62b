// SPDX-License-Identifier: BSD-3-Clause
// Lines whose middle is one register of 64 bytes, on processors that have such.
#pragma once

#include "move.h"

namespace halo::host {

// As contiguous_kernel; nullptr: no such kernel, or no such processor.
MoveKernel wide_kernel(bool listed, int64_t left, int64_t middle, int64_t right);

} // namespace halo::host
