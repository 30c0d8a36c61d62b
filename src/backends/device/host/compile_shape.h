// SPDX-License-Identifier: BSD-3-Clause
// From a shape to the moves that do its work: everything that can be decided once is decided here.
#pragma once

#include <cstdint>
#include <vector>

#include "move.h"

namespace halo::host {

// What one slice of a shape writes: `bytes` of [low, high), counted from the row's offset.
struct Extent {
    int64_t low = INT64_MAX;
    int64_t high = INT64_MIN;
    int64_t bytes = 0;
};
Extent destination_of(const halo_copy_shape &shape);

// Where lines begin; moves point into the inner vectors.
using LineLists = std::vector<std::vector<int32_t>>;

// The moves that copy a row of the shape, in any order. What they point to is added to `lists`.
std::vector<Move> compile(const halo_copy_shape &shape, LineLists &lists);

} // namespace halo::host
