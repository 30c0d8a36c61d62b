// SPDX-License-Identifier: BSD-3-Clause
// The parts of a cube's ghosts as a hand-written Cartesian code has them.
#pragma once

#include <vector>

#include "cartesian_work.h"

namespace bench {

// The ghosts that come from one direction, and what this rank sends so that its neighbour on the other side gets the same ghosts.
struct Strip {
    Region ghosts;
    Region source; // the same cells where they are owned, in this rank's or its neighbour's indices
    int32_t from = 0, to = 0;
    int32_t tag = 0;
};

std::vector<Strip> strips_by_direction(const CartesianWork &work);
std::vector<Strip> strips_of_sweep(const CartesianWork &work, size_t direction);

// All fields of a region to or from contiguous memory, one after the other, and within the storage.
void pack(const CartesianWork &work, const Region &region, double *buffer);
void unpack(const CartesianWork &work, const Region &region, const double *buffer);
void copy_within(const CartesianWork &work, const Region &source, const Region &target);

} // namespace bench
