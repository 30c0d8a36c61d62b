// SPDX-License-Identifier: BSD-3-Clause
// Storage of a field whose blocks come from those of another list over the same trees.
#pragma once

#include "field/field.h"

namespace halo {

// Of two fields on forests: why the values of one cannot become those of the other; null: they can.
const char *why_no_move(const Field &source, const Field &destination);

// A leaf of both lists that is this rank's in both has the storage of `before`, with what is in it; others get some of the library's, if `before` has
// been allocated and is not sparse. HALO_ERR_ARGUMENT: they are not such fields, or not of one shape. HALO_BUSY: a run over one of them is in flight.
void allocate_from(Field &field, const Field &before);

} // namespace halo
