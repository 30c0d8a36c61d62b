// SPDX-License-Identifier: BSD-3-Clause
#include "table.h"

#include <algorithm>

namespace halo::host {

Table::Table(const halo_copy_shape *shapes, int64_t n_shapes, const halo_copy_row *rows, int64_t n_rows, const MoveKernels &kernels)
    : plain_(shapes, shapes + n_shapes), rows_(static_cast<size_t>(n_rows)) {
    wide_.reserve(plain_.size());
    for (const halo_copy_shape &shape : plain_) {
        wide_.push_back(widened(shape));
        const std::vector<Move> moves = compile(wide_.back(), kernels);
        shapes_.push_back({ static_cast<uint32_t>(moves_.size()), static_cast<uint32_t>(moves.size()) });
        moves_.insert(moves_.end(), moves.begin(), moves.end());
    }
    patch(0, n_rows, rows);
}

uint32_t Table::bases_of(const halo_copy_row &row) const {
    const uint32_t *end = row.src_base + plain_[row.shape].n_pieces;
    return std::max(row.dst_base, *std::max_element(row.src_base, end)) + 1;
}

int64_t Table::row_beyond_bases(int64_t first, int64_t n, int64_t n_bases) const {
    if (n_bases >= n_bases_) return -1;
    for (int64_t i = first; i < first + n; ++i)
        if (n_bases < bases_of(rows_[i])) return i;
    return -1;
}

bool Table::divides_into(size_t value_bytes) const {
    return std::all_of(plain_.begin(), plain_.end(), [=](const halo_copy_shape &shape) { return shape.element_bytes % value_bytes == 0; });
}

void Table::patch(int64_t first, int64_t n, const halo_copy_row *rows) {
    std::copy_n(rows, n, rows_.begin() + first);
    for (int64_t i = 0; i < n; ++i) n_bases_ = std::max(n_bases_, bases_of(rows[i]));
}

void Table::move(int64_t first, int64_t n, void *const *bases, [[maybe_unused]] int n_threads) const {
    const halo_copy_row *rows = rows_.data() + first;
#ifdef _OPENMP
    constexpr int64_t chunk = 32; // rows; neighbours in memory, many enough to even out their sizes
    if (n_threads > 1 && n > chunk) {
#pragma omp parallel for num_threads(n_threads) schedule(static, chunk)
        for (int64_t i = 0; i < n; ++i) move_row(rows[i], bases);
        return;
    }
#endif
    for (int64_t i = 0; i < n; ++i) move_row(rows[i], bases);
}

void Table::accumulate(int64_t first, int64_t n, void *const *bases, Accumulate function) const {
    for (int64_t i = first; i < first + n; ++i) function(plain_[rows_[i].shape], rows_[i], bases);
}

void Table::test(int64_t first, int64_t n, void *const *bases, NullTest function, const NullRange &range, uint8_t *non_null) const {
    for (int64_t i = 0; i < n; ++i) {
        const halo_copy_row &row = rows_[first + i];
        non_null[i] = function(wide_[row.shape], row, bases, range) ? 1 : 0;
    }
}

void Table::move_tested(int64_t first, int64_t n, void *const *bases, NullTest function, const NullRange &range, uint8_t *non_null) const {
    for (int64_t i = 0; i < n; ++i) {
        const halo_copy_row &row = rows_[first + i];
        non_null[i] = function(wide_[row.shape], row, bases, range) ? 1 : 0;
        move_row(row, bases);
    }
}

} // namespace halo::host
