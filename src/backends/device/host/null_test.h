// SPDX-License-Identifier: BSD-3-Clause
// Has a row's source anything that must be sent?
#pragma once

#include "../null_range.h"
#include "move.h"

namespace halo::host {

using device::NullRange;

using NullTest = bool (*)(const halo_copy_shape &shape, const Row &row, void *const *bases, const uint32_t *indices, const NullRange &range);

// The function answers: has the row data? nullptr: no such type.
NullTest null_test_of(halo_type type);

} // namespace halo::host
