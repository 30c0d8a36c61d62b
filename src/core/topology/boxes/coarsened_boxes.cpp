// SPDX-License-Identifier: BSD-3-Clause
#include "topology/boxes/coarsened_boxes.h"

#include "topology/boxes/box_calculus.h"

namespace halo {

halo_box coarsened(const halo_box &box, const LevelRatio &ratio) {
    halo_box coarse;
    for (size_t d = 0; d < 3; ++d) {
        coarse.low[d] = floor_divide(box.low[d], ratio[d]);
        coarse.high[d] = -floor_divide(-box.high[d], ratio[d]);
    }
    return coarse;
}

PlacedBox CoarsenedBoxes::coarse(PlacedBox box) const {
    box.cells = coarsened(box.cells, ratio_);
    for (size_t d = 0; d < 3; ++d) box.shift[d] /= ratio_[d];
    return box;
}

void CoarsenedBoxes::boxes_near(const halo_box &region, std::vector<PlacedBox> &found) const {
    const size_t first = found.size();
    fine_.boxes_near(refined(region, ratio_), found);
    for (size_t i = first; i < found.size(); ++i) found[i] = coarse(found[i]);
}

Extent CoarsenedBoxes::period() const {
    Extent period = fine_.period();
    for (size_t d = 0; d < 3; ++d) period[d] /= ratio_[d];
    return period;
}

CoarsenedParts::CoarsenedParts(const Topology &fine, const LevelRatio &ratio)
    : Topology(fine.context()),
      fine_(fine),
      ratio_(ratio),
      boxes_(*fine.boxes(), ratio) {
    local_parts_ = fine.local_parts();
}

halo_part CoarsenedParts::part(int64_t gid) const {
    halo_part part = fine_.part(gid);
    part.cells = coarsened(part.cells, ratio_);
    return part;
}

// Whatever ghosts the fine parts may have, and what is read around them.
Extent CoarsenedParts::widest_ghosts() const {
    Extent widest = fine_.widest_ghosts();
    for (size_t d = 0; d < 3; ++d) widest[d] = widest[d] / ratio_[d] + 2;
    return widest;
}

Extent CoarsenedParts::cells_of(int64_t gid) const {
    const halo_box cells = boxes_.box_of(gid).cells;
    return { cells.high[0] - cells.low[0], cells.high[1] - cells.low[1], cells.high[2] - cells.low[2] };
}

std::vector<halo_boundary> CoarsenedParts::boundaries(int64_t gid, const GhostWidths &widths, Centring) const {
    const PlacedBox box = boxes_.box_of(gid);
    std::vector<halo_boundary> found;
    for (int32_t element = 0; element < 27; ++element) {
        std::vector<halo_box> outside{ element_box(box.cells, widths, element) };
        if (empty(outside[0])) continue;
        if (const halo_box inside = inside_domain(outside[0], domain(), boxes_.period()); !empty(inside)) subtract(outside, inside);
        for (const halo_box &cells : outside) found.push_back({ relative(cells, box.origin()), element, 0 });
    }
    return found;
}

} // namespace halo
