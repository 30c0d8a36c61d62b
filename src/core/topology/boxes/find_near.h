// SPDX-License-Identifier: BSD-3-Clause
// Finds the boxes near a rank's own, where every rank knows its own alone: a directory of space, cut into bins that are dealt to the ranks.
#pragma once

#include "comm/context.h"
#include "topology/boxes/placed_box.h"

namespace halo {

struct NearSpace {
    halo_box domain;
    Extent period; // 0: not periodic
    int64_t range; // cells between two boxes that are near each other, at most
};

// `own`: this rank's boxes; no two boxes of any ranks have the same gid. Returns own and near ones by ascending gid. Collective; blocks.
std::vector<PlacedBox> near_boxes(Context &context, std::vector<PlacedBox> own, const NearSpace &space);

// `own`: this rank's boxes. They get gids, rank by rank; `n_boxes` becomes the number of all. Returns own and near ones by ascending gid.
// Collective; blocks.
std::vector<PlacedBox> find_near(Context &context, std::vector<PlacedBox> own, const NearSpace &space, int64_t &n_boxes);

} // namespace halo
