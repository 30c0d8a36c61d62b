// SPDX-License-Identifier: BSD-3-Clause
// Known boxes with a search tree over them: finding those in a region takes O(log boxes) and what is found.
#pragma once

#include "topology/boxes/placed_box.h"

namespace halo {

class BoxSet final : public BoxSource {
public:
    // `boxes` not moved, by ascending gid. `period` of the domain per direction, 0: not periodic.
    BoxSet(const std::vector<PlacedBox> &boxes, const Extent &period);

    void boxes_near(const halo_box &region, std::vector<PlacedBox> &found) const override;
    PlacedBox box_of(int64_t gid) const override;
    Extent period() const override { return period_; }

private:
    struct Box {
        int64_t gid;
        int32_t rank;
        int32_t priority;
        uint32_t place; // on the curve
    };

    void order_along_curve(const std::vector<PlacedBox> &boxes);
    PlacedBox placed(const Box &box) const { return { box.gid, box.rank, box.priority, levels_[0][box.place], {} }; }
    // Adds what meets the region of the boxes at or below [first, end) of a level, shifted.
    void search(size_t level, size_t first, size_t end, const halo_box &region, const Extent &shift, std::vector<PlacedBox> &found) const;

    std::vector<Box> boxes_; // by gid
    Extent period_;
    halo_box bounds_{};                         // of all
    std::vector<uint32_t> order_;               // boxes along a curve, so that neighbours are near each other
    std::vector<std::vector<halo_box>> levels_; // cells of all boxes along the curve, then what encloses eight of the level below each
};

} // namespace halo
