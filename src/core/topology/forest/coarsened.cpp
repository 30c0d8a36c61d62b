// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/coarsened.h"

#include "topology/boxes/box_calculus.h"
#include "topology/forest/block_box.h"

namespace halo {

CoarsenedForest::CoarsenedForest(const ForestTopology &forest) : Topology(forest.context()), forest_(forest), n_cells_(forest.cells_of(0)) {
    for (int d = 0; d < forest.n_dims(); ++d) n_cells_[d] /= 2;
    local_parts_ = forest.local_parts();
}

halo_part CoarsenedForest::part(int64_t gid) const {
    halo_part part = forest_.part(gid);
    for (int d = 0; d < n_dims(); ++d) {
        part.cells.low[d] /= 2;
        part.cells.high[d] /= 2;
    }
    return part;
}

std::vector<halo_boundary> CoarsenedForest::boundaries(int64_t gid, const GhostWidths &widths, Centring centring) const {
    const halo_box owned = points_of(whole_block(n_cells_), centring);
    std::vector<halo_boundary> found;
    for_each_element(n_dims(), [&](int32_t element, const ElementOffset &) {
        const halo_box ghosts = element_box(owned, widths, element);
        if (!empty(ghosts) && forest_.ends_at(forest_.leaf(gid), element)) found.push_back({ ghosts, element, 0 });
    });
    return found;
}

// In cells of the next coarser level; of roots it is -1.
std::string CoarsenedForest::global_name(int64_t local_index, const Extent &point) const {
    TreeBlock block = forest_.leaf(local_parts_[static_cast<size_t>(local_index)]);
    --block.level;
    return name_in_tree(block, n_cells_, point);
}

} // namespace halo
