// SPDX-License-Identifier: BSD-3-Clause
// Centrings where index spaces are turned against each other.
#pragma once

#include "topology/edge.h"

namespace halo {

// Directions in which points lie on faces, as the sender has them: those of the receiver in another order.
Centring centring_across(Centring centring, const AxisMap &map);

} // namespace halo
