// SPDX-License-Identifier: BSD-3-Clause
// Entities at their owners, and layers of executed ghosts around them.
#pragma once

#include "comm/context.h"
#include "mesh/rows.h"

namespace halo {

// Entities of a set that this rank has brought for others, and those that others have brought for it, by rank, in the order of the message.
struct Moved {
    std::map<int32_t, std::vector<uint32_t>> away; // positions among what was brought
    std::map<int32_t, std::vector<uint32_t>> here; // numbers; local indices in the end
};

// Collective.
std::vector<Moved> move_to_owners(Context &context, const MeshDescription &mesh, KnownMesh &known);
// Sets `layer` and `reach` of all that this rank is to store. Collective.
void lay_layers(Context &context, const MeshDescription &mesh, KnownMesh &known);

} // namespace halo
