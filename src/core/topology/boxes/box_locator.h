// SPDX-License-Identifier: BSD-3-Clause
// Positions among boxes of one index space, where all boxes are known. Where several cover a cell, its owner has the position.
#pragma once

#include <vector>

#include "topology/boxes/placed_box.h"
#include "topology/locator.h"

namespace halo {

class BoxLocator final : public Locator {
public:
    // `disjoint`: no cell is in two boxes.
    BoxLocator(const BoxSource &boxes, bool disjoint) : boxes_(boxes), disjoint_(disjoint) {}
    Landing find(int64_t gid, const CellPosition &at) override;

private:
    void begin_part(int64_t gid);
    const PlacedBox *known(const Extent &point) const;

    static constexpr size_t most_known = 32; // as many as a part has neighbours

    const BoxSource &boxes_;
    bool disjoint_;
    int64_t gid_ = -1; // of the last part
    Extent origin_{};
    std::vector<PlacedBox> known_; // where its particles have gone, if boxes are disjoint
    std::vector<PlacedBox> found_; // keeps its memory
};

} // namespace halo
