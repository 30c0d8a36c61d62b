// SPDX-License-Identifier: BSD-3-Clause
// From the arguments of a loop to what it does with each field.
#pragma once

#include "access/batch.h"

namespace halo {

// Fails where the argument is none, or not in this style. `number`: its place among the loop's.
void check_argument(const Argument &argument, int32_t style, size_t number);

// Is something written through a map, so that entities of others contribute to what this rank owns?
bool writes_through_maps(const BatchShape &shape);

Use use_of(const Argument &argument, int32_t style, bool needs_exec);

// Two arguments of one field together. Fails where a loop cannot do both.
Use both(const Use &a, const Use &b, const char *name);

// Bytes of the value that combining by `op` leaves unchanged: 0, the greatest, the least. `into` has 16.
void identity_of(halo_op op, halo_type type, const char *name, void *into);

} // namespace halo
