// SPDX-License-Identifier: BSD-3-Clause
// A digest of what was computed on boxes.
#pragma once

#include "ranks.h"

namespace conformance {

// Faces, nodes and cells on uneven boxes with a hole: ghosts with shared points, reverse and shared sums in both orders, a transfer to other boxes, a
// turned join. The same however many ranks there are and whatever carries their messages.
uint64_t digest_of_boxes(const Rank &rank);

} // namespace conformance
