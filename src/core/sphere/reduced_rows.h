// SPDX-License-Identifier: BSD-3-Clause
// Rows of cells of different lengths around the sphere, and which of them share a side.
#pragma once

#include <cstdint>
#include <vector>

#include "base/terms.h"
#include "halo_sphere.h"

namespace halo {

class ReducedRows {
public:
    explicit ReducedRows(const halo_reduced_rows_desc &desc);

    Terms terms() const; // that ranks must agree on
    uint64_t n_cells() const { return first_.back(); }
    // Of one cell: west, east, then what shares a side with it in the row before, and in the row after, both eastwards.
    std::vector<uint64_t> neighbours(uint64_t key) const;

private:
    // Cells of a row that share a side with the `i`-th of `n` of another, which is turned by half the way around where it lies across a pole.
    void add_row(size_t row, int64_t i, int64_t n, bool across_pole, std::vector<uint64_t> &found) const;
    size_t n_rows() const { return first_.size() - 1; }
    int64_t length(size_t row) const { return static_cast<int64_t>(first_[row + 1] - first_[row]); }

    std::vector<uint64_t> first_{ 0 }; // key of each row; one more
    bool poles_;
};

} // namespace halo
