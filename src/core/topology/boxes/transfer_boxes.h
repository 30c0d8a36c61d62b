// SPDX-License-Identifier: BSD-3-Clause
// What a rank has to know of two sets of boxes to move values from one to the other, where not all ranks know all boxes.
#pragma once

#include "topology/boxes/box_set.h"
#include "topology/topology.h"

namespace halo {

// Own boxes and those near them, of both sets: what is near an own one in either set.
struct TransferBoxes {
    BoxSet source;
    BoxSet destination;
};

// `range`: cells between two boxes that have to do with each other, at most. Both have the same periods. Collective; blocks.
TransferBoxes find_transfer_boxes(Context &context, const Topology &source, const Topology &destination, int64_t range);

} // namespace halo
