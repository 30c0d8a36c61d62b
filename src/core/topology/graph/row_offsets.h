// SPDX-License-Identifier: BSD-3-Clause
// Where rows of neighbours begin, one behind the other. As long as all are of one width nothing is stored.
#pragma once

#include "memory/large_vector.h"

namespace halo {

class RowOffsets {
public:
    RowOffsets() = default;
    RowOffsets(int64_t n_rows, int64_t width) : n_rows_(n_rows), width_(width) {}
    template <class LengthOf>
    static RowOffsets of(int64_t n_rows, LengthOf &&length_of) {
        RowOffsets offsets(n_rows, 0);
        offsets.list_.resize(static_cast<size_t>(n_rows) + 1);
        int64_t end = offsets.list_[0] = 0;
        for (size_t row = 0; row < static_cast<size_t>(n_rows); ++row) offsets.list_[row + 1] = end += length_of(row);
        return offsets;
    }

    int64_t n_rows() const { return n_rows_; }
    int64_t begin(int64_t row) const { return list_.empty() ? row * width_ : list_[static_cast<size_t>(row)]; }
    int64_t end(int64_t row) const { return begin(row + 1); }
    int64_t n_entries() const { return begin(n_rows_); }
    void add(int64_t length) {
        if (length != width_ || !list_.empty()) {
            list();
            list_.push_back(list_.back() + length);
        }
        ++n_rows_;
    }
    // Of each row, and the end. Made when it is asked for; stays where it is until rows are added.
    const LargeVector<int64_t> &list() const {
        if (list_.empty()) {
            LargeVector<int64_t> list(static_cast<size_t>(n_rows_) + 1);
            for (size_t row = 0; row < list.size(); ++row) list[row] = static_cast<int64_t>(row) * width_;
            list_ = std::move(list);
        }
        return list_;
    }

private:
    int64_t n_rows_ = 0;
    int64_t width_ = 0;
    mutable LargeVector<int64_t> list_; // empty: all have `width_`
};

} // namespace halo
