// SPDX-License-Identifier: BSD-3-Clause
// Who owns each entity that this rank knows: every key is decided once, by one rank.
#pragma once

#include "comm/context.h"
#include "mesh/known_mesh.h"

namespace halo {

// Collective. HALO_ERR_ARGUMENT: two ranks bring an entity, or none does.
void find_owners(Context &context, const MeshDescription &mesh, KnownMesh &known);

} // namespace halo
