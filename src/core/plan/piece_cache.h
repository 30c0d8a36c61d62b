// SPDX-License-Identifier: BSD-3-Clause
// Pieces live with their topology: a second field, or an exchange made again, finds them there.
#pragma once

#include <memory>
#include <vector>

#include "plan/piece.h"

namespace halo {

// The piece for a spec, compiled if the destination's topology has none. A topology keeps the last few that are in no use.
std::shared_ptr<Piece> piece_for(const PieceSpec &spec);

} // namespace halo
