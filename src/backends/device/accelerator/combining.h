// SPDX-License-Identifier: BSD-3-Clause
// Rows that combine, by what they combine into: each value with its contributions in the order of the rows. So one thread does a value, whatever rows
// meet there, and the result is that of the rows one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "layout.h"
#include "lowering.h"

namespace halo::accelerator {

struct Combining {
    std::vector<halo_target> targets; // one more than there are
    std::vector<halo_contribution> contributions;
};

// Of rows [first, first + n), the first `n_moved` of which overwrite. Their elements are whole numbers of values of this size. O(values log values)
// on the host.
Combining combining_of(const Lowering &lowering, int64_t first, int64_t n, int64_t n_moved, size_t value_bytes);

} // namespace halo::accelerator
