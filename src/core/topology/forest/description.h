// SPDX-License-Identifier: BSD-3-Clause
// Descriptions of forests, read and checked. Errors name trees, joins and leaves by their places in the lists.
#pragma once

#include "topology/forest/leaves.h"

namespace halo {

// n_dims, n_cells, trees and joins.
Trees read_trees(const halo_forest_desc &desc);
// Leaves, each within its tree, whatever they cover.
std::vector<TreeBlock> read_blocks(const halo_forest_desc &desc, const Trees &trees);
// All but owners; the list need not be balanced.
Leaves read_leaves(const halo_forest_desc &desc);
void check_balance(const Leaves &leaves, int32_t balance);

} // namespace halo
