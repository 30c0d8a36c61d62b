// SPDX-License-Identifier: BSD-3-Clause
// The work of a Cartesian code: a periodic domain, one cube of cells per rank, several fields of double, each in storage of its own. Knows nothing
// of libhalo: it is what all contenders are checked against.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "pages.h"

namespace bench {

struct CartesianSize {
    int64_t cells = 100; // per direction of a rank's cube
    int32_t ghost = 1;
    int32_t fields = 3;

    std::string text() const;
};

using Index = std::array<int64_t, 3>; // cells count from the first owned one

struct Region {
    Index low, high; // high exclusive

    int64_t cells() const { return (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]); }
    Region shifted(const Index &by) const;
};

class CartesianWork {
public:
    // `places`: of each rank's cube in the grid of cubes, which is `per_side` large and full.
    CartesianWork(const CartesianSize &size, const Index &per_side, std::vector<Index> places, int32_t rank, const Storage &storage);

    const CartesianSize &size() const { return size_; }
    const Index &per_side() const { return per_side_; }
    int32_t rank() const { return rank_; }
    int32_t neighbour(const Index &offset) const; // rank at this offset, in cubes

    // Storage of a field: x fastest, ghosts around.
    int64_t row() const { return size_.cells + int64_t{ 2 } * size_.ghost; }
    int64_t elements() const { return row() * row() * row(); }
    double *field(int32_t f) const { return fields_[static_cast<size_t>(f)].get(); }
    int64_t at(const Index &cell) const { return ((cell[2] + size_.ghost) * row() + cell[1] + size_.ghost) * row() + cell[0] + size_.ghost; }
    int64_t ghost_bytes() const;

    // Each owned value is its number in the domain plus the number of changes: exact in double.
    void fill();
    void change();
    void poison_ghosts();
    int64_t wrong_values() const;

private:
    template <class Visit>
    void for_each_row(const Index &low, const Index &high, Visit &&visit) const;
    double number(int32_t f, const Index &cell) const;

    CartesianSize size_;
    Index per_side_;
    std::vector<Index> places_;
    int32_t rank_;
    std::vector<Values> fields_;
    int64_t changes_ = 0;
};

} // namespace bench
