// SPDX-License-Identifier: BSD-3-Clause
// Known boxes with a search tree over them: finding those in a region takes O(log boxes) and what is found.
#pragma once

#include "topology/boxes/placed_box.h"

namespace halo {

class BoxSet final : public BoxSource {
public:
    // `boxes` not moved, by ascending gid. `period` of the domain per direction, 0: not periodic.
    BoxSet(std::vector<PlacedBox> boxes, const Extent &period);

    void boxes_near(const halo_box &region, std::vector<PlacedBox> &found) const override;
    PlacedBox box_of(int64_t gid) const override;
    Extent period() const override { return period_; }
    const PlacedBox *find(int64_t gid) const; // null: not known here
    const std::vector<PlacedBox> &boxes() const { return boxes_; }

private:
    void order_along_curve();
    // Adds what meets the region of the boxes at or below [first, end) of a level, shifted.
    void search(size_t level, size_t first, size_t end, const halo_box &region, const Extent &shift, std::vector<PlacedBox> &found) const;

    std::vector<PlacedBox> boxes_;
    Extent period_;
    halo_box bounds_{};                         // of all
    std::vector<uint32_t> order_;               // places in boxes_, so that neighbours are near each other
    std::vector<std::vector<halo_box>> levels_; // all boxes' cells in that order, then what encloses eight of the level below each
};

} // namespace halo
