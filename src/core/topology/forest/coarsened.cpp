// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/coarsened.h"

#include "topology/boxes/box_calculus.h"

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
    const halo_box owned = points_of({ { 0, 0, 0 }, { n_cells_[0], n_cells_[1], n_cells_[2] } }, centring);
    std::vector<halo_boundary> found;
    for (int32_t element = 0; element < 27; ++element) {
        const halo_box ghosts = element_box(owned, widths, element);
        if (element == HALO_ELEMENT(0, 0, 0) || empty(ghosts)) continue;
        if (forest_.across(forest_.leaf(gid), element).is == Across::Is::nothing) found.push_back({ ghosts, element, 0 });
    }
    return found;
}

} // namespace halo
