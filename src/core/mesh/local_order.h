// SPDX-License-Identifier: BSD-3-Clause
// In what order a rank stores the entities of a set.
#pragma once

#include "mesh/mesh.h"

namespace halo {

struct LocalOrder {
    LocalSet set;
    std::vector<uint32_t> numbers; // by local index
    std::vector<uint32_t> indices; // by number; KnownSet::none: not stored
};

LocalOrder order_locally(const MeshDescription &mesh, const KnownMesh &known, size_t set, int32_t rank);

} // namespace halo
