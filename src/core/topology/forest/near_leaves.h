// SPDX-License-Identifier: BSD-3-Clause
// Leaves near a rank's own, where each rank knows its own alone.
#pragma once

#include <vector>

#include "topology/forest/leaf_directory.h"

namespace halo {

// Own leaves, of `n` of all ranks; those that touch them; and those that touch these. Fails on all ranks where leaves overlap, where a place is
// covered by none, and where levels break the balance, HALO_BALANCE_...: the text names leaves. Collective; blocks.
std::vector<PlacedLeaf> find_near_leaves(Context &context, const LeafDirectory &directory, const Trees &trees, int32_t balance, int64_t n,
                                         const std::vector<PlacedLeaf> &own);

} // namespace halo
