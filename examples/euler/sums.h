// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halo.hpp>

#include <cstdint>
#include <vector>

namespace euler {

/// A table with one row per block of the whole grid (or per rank). Every rank fills in the rows of its own blocks and leaves the
/// others zero, so summing the tables of all ranks is exact; what is then computed from the rows in the order of gids has the same
/// bits whatever the number of ranks.
template <class T>
class Table {
public:
    Table(std::int64_t n_rows, std::int64_t n_columns) : n_columns_(n_columns), values_(static_cast<std::size_t>(n_rows * n_columns), T{}) {}

    T &at(std::int64_t row, std::int64_t column) { return values_[static_cast<std::size_t>(row * n_columns_ + column)]; }

    /// Collective: afterwards every rank holds every row.
    void share(const halo::Context &context) {
        if (!values_.empty()) context.allreduce(std::span<T>(values_), HALO_SUM);
    }

    /// Sums of the columns, in the order of gids.
    std::vector<T> sums() const {
        std::vector<T> sums(static_cast<std::size_t>(n_columns_), T{});
        for (std::size_t i = 0; i < values_.size(); ++i) sums[i % sums.size()] += values_[i];
        return sums;
    }
    const std::vector<T> &values() const { return values_; }

private:
    std::int64_t n_columns_;
    std::vector<T> values_;
};

/// A 64-bit digest of words (Fowler, Noll and Vo, variant 1a, eight bytes at a time).
class Digest {
public:
    void add(std::uint64_t word) {
        for (int byte = 0; byte < 8; ++byte, word >>= 8) value_ = (value_ ^ (word & 0xff)) * 0x100000001b3u;
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

} // namespace euler
