// SPDX-License-Identifier: BSD-3-Clause
// Which part has a position that lies outside of the part whose index space it counts in, and where in that part it is. Nothing of it depends on
// ranks.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

#include "topology/edge.h"

namespace halo {

// A cell, and where in it: 0 to below 1 per direction. Moved by whole cells, and halved into finer ones, it stays exact.
struct CellPosition {
    Extent cell{};
    std::array<double, 3> within{};

    static constexpr double below_one = 1 - 0x1p-53;

    // Direction d of a part's index space; finite.
    void set(size_t d, double position) {
        const double cells = std::floor(position);
        cell[d] = static_cast<int64_t>(cells);
        within[d] = std::min(position - cells, below_one); // a little below a border is not on it
    }
    // Counted downwards from the upper end of a row of so many cells.
    void turn(size_t d, int64_t n_cells) {
        cell[d] = n_cells - 1 - cell[d];
        within[d] = std::min(1 - within[d], below_one);
    }
    // As a number, below the upper end of so many cells: where it rounds to that, the greatest below it.
    double value(size_t d, int64_t n_cells) const {
        const auto end = static_cast<double>(n_cells);
        const double sum = static_cast<double>(cell[d]) + within[d];
        return sum < end ? sum : std::nextafter(end, 0.0);
    }
};

struct Landing {
    int64_t gid = -1;  // outside of the domain
    CellPosition at{}; // in that part
    AxisMap map{};     // from the index space of the part that was left
};

class Locator {
public:
    virtual ~Locator() = default;
    // Of a position in the index space of a local part, and outside of its cells.
    virtual Landing find(int64_t gid, const CellPosition &at) = 0;
};

} // namespace halo
