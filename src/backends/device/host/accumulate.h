// SPDX-License-Identifier: BSD-3-Clause
// Rows that combine: destination = destination op source, value by value in the order of the row.
#pragma once

#include "move.h"

namespace halo::host {

// `indices`: of all lists of the table.
using Accumulate = void (*)(const halo_copy_shape &shape, const Row &row, void *const *bases, const uint32_t *indices);

// nullptr: values of this type cannot be combined so. Integers wrap around. MIN and MAX take NaN over numbers and -0 below +0, so that the order of
// contributions does not show.
Accumulate accumulate_of(int32_t op, halo_type type);

} // namespace halo::host
