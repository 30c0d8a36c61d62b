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
    struct Node {
        halo_box bounds;
        size_t first; // in order_
        size_t n;
        size_t right = 0; // second child; the first follows its parent. 0: a leaf
    };
    size_t build(size_t first, size_t n);
    void search(const halo_box &region, const Extent &shift, std::vector<PlacedBox> &found) const;

    std::vector<PlacedBox> boxes_;
    Extent period_;
    std::vector<size_t> order_; // places in boxes_, those of a node behind each other
    std::vector<Node> nodes_;
};

} // namespace halo
