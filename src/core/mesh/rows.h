// SPDX-License-Identifier: BSD-3-Clause
// Rows of maps on their way between ranks: each entity with its owner, and where it leads with the owners of that.
#pragma once

#include <map>
#include <vector>

#include "mesh/known_mesh.h"
#include "topology/discovery.h"

namespace halo {

// By rank, by set: numbers of entities with rows.
using RowLists = std::map<int32_t, std::vector<std::vector<uint32_t>>>;
// The list of a set that goes to a rank.
std::vector<uint32_t> &list_for(RowLists &lists, const MeshDescription &mesh, int32_t rank, size_t set);

std::vector<Delivery> pack_rows(const MeshDescription &mesh, const KnownMesh &known, const RowLists &lists);

// Whose entities rows are that come: those of `rank`, or of others.
struct Receiver {
    int32_t rank;
    int32_t n_ranks;
    bool takes_own;
};

// Adds what has come and returns its numbers, by set, in the order in which they were packed. Rows that are here already are left as they are.
// HALO_ERR_WIRE.
std::vector<std::vector<uint32_t>> take_rows(const MeshDescription &mesh, KnownMesh &known, const Delivery &came, const Receiver &receiver);

} // namespace halo
