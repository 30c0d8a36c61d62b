// SPDX-License-Identifier: BSD-3-Clause
// A copy table as the host wants it. Nothing but create and patch allocates.
#pragma once

#include <cstdint>
#include <vector>

#include "accumulate.h"
#include "compile_shape.h"
#include "null_test.h"

namespace halo::host {

class Table {
public:
    // The shapes have no problem_of, the rows name shapes and lists that there are.
    explicit Table(const halo_copy_program &program);

    int64_t n_rows() const { return static_cast<int64_t>(rows_.size()); }
    const std::vector<halo_copy_shape> &shapes() const { return plain_; }
    int64_t n_indices() const { return static_cast<int64_t>(indices_.size()); }

    // First row of [first, first + n) that names a base from `n_bases` on; -1: none.
    int64_t row_beyond_bases(int64_t first, int64_t n, int64_t n_bases) const;
    // Are the elements of these rows whole numbers of values of this size? Other rows may hold other fields.
    bool divides_into(int64_t first, int64_t n, size_t value_bytes) const;

    void patch(int64_t first, int64_t n, const halo_copy_row *rows);
    void move(int64_t first, int64_t n, void *const *bases, int n_threads) const;
    void accumulate(int64_t first, int64_t n, void *const *bases, Accumulate function) const;
    void test(int64_t first, int64_t n, void *const *bases, NullTest function, const NullRange &range, uint8_t *non_null) const;
    // Row by row, so that the second look at a row finds it in the cache; the first stops at the first value that is data.
    void move_tested(int64_t first, int64_t n, void *const *bases, NullTest function, const NullRange &range, uint8_t *non_null) const;

private:
    void compile_shapes();
    Row compiled(const halo_copy_row &from);
    void set_fetches(size_t begin, size_t end);
    void set_fetch(size_t first, size_t last);
    bool may_be_in_place(const Row &row) const;
    uint32_t bases_of(const Row &row) const; // one more than the largest base that the row names

    std::vector<halo_copy_shape> plain_; // as given, for accumulation
    std::vector<halo_copy_shape> wide_;  // the same bytes in few, long runs, for moves and tests
    std::vector<Move> moves_;            // one of each shape in their order, then those that follow them
    std::vector<Extent> extents_;        // of each shape's destination
    std::vector<uint32_t> indices_;      // of all listed rows
    LineLists lists_;
    std::vector<Row> rows_;
    int64_t most_slices_ = 0;
    uint32_t n_bases_ = 0; // no row names a base from here on
};

} // namespace halo::host
