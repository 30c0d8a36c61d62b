// SPDX-License-Identifier: BSD-3-Clause
// Centrings where index spaces are turned against each other.
#pragma once

#include <vector>

#include "topology/edge.h"

namespace halo {

inline bool is_face(Centring place) { return place == HALO_CENTRE_FACE_X || place == HALO_CENTRE_FACE_Y || place == HALO_CENTRE_FACE_Z; }
// Directions in which points lie on faces, as the sender has them: those of the receiver in another order.
Centring centring_across(Centring centring, const AxisMap &map);
// Which of a field's places its values at one of them come from; -1: it has none there.
int32_t place_across(const std::vector<Centring> &places, int32_t place, const AxisMap &map);

} // namespace halo
