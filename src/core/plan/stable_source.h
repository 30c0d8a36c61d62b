// SPDX-License-Identifier: BSD-3-Clause
// May contributions be read where they lie while others are combined?
#pragma once

#include "plan/collect_edges.h"

namespace halo {

// True: no point of this rank both contributes and receives. Asked of points only; false where there are cells.
bool sources_stay(const EdgeBoxes &boxes, const CollectedEdges &edges);

} // namespace halo
