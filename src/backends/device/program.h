// SPDX-License-Identifier: BSD-3-Clause
// What every device asks of a table's shapes and rows before it compiles them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "halo_plugin.h"

namespace halo::device {

// Texts of what is wrong with a shape; nullptr: nothing.
const char *problem_of(const halo_copy_shape &shape);

// False: a row names a shape or indices that the table does not have; `text` says which.
bool rows_are_right(const halo_copy_row *rows, int64_t n, const halo_copy_shape *shapes, int64_t n_shapes, int64_t n_indices, char *text,
                    size_t text_bytes);

// The same bytes with the longest elements: outer indices whose elements lie side by side become part of the element. Values keep their place, not
// the order in which they are reached.
halo_copy_shape widened(const halo_copy_shape &shape);

} // namespace halo::device
