// SPDX-License-Identifier: BSD-3-Clause
// Positions among boxes of one index space, where all boxes are known. Where several cover a cell, its owner has the position.
#pragma once

#include <vector>

#include "topology/boxes/placed_box.h"
#include "topology/locator.h"

namespace halo {

class BoxLocator final : public Locator {
public:
    explicit BoxLocator(const BoxSource &boxes) : boxes_(boxes) {}
    Landing find(int64_t gid, const CellPosition &at) override;

private:
    const BoxSource &boxes_;
    std::vector<PlacedBox> found_; // keeps its memory
};

} // namespace halo
