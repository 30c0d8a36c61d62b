// SPDX-License-Identifier: BSD-3-Clause
#include "table.h"

#include <algorithm>

#include "../program.h"
#include "listed.h"

namespace halo::host {

namespace {

// The kernel of a shape that needs several moves, or none.
void move_by_parts(const Move &move, const Row &row, void *const *bases, int64_t slice) {
    for (const Move *part = move.next; part != nullptr; part = part->next) part->kernel(*part, row, bases, slice);
}

void fetch(const char *from, int32_t bytes) {
    constexpr int32_t cache_line = 64;
    for (int32_t at = 0; at < bytes; at += cache_line) __builtin_prefetch(from + at, 1);
}

void move_slice(const Row &row, void *const *bases, int64_t slice) {
    const Move &move = *row.move;
    if (slice >= move.n_slices) return;
    if (row.fetch_bytes == Row::may_be_in_place && bases[row.dst_base] == bases[row.src_base[0]]) return;
    if (row.fetch_bytes > 0)
        fetch(static_cast<const char *>(bases[row.dst_base]) + (row.dst_offset + row.fetch_at + slice * move.dst_slice), row.fetch_bytes);
    move.kernel(move, row, bases, slice);
}

} // namespace

Table::Table(const halo_copy_program &program)
    : plain_(program.shapes, program.shapes + program.n_shapes),
      indices_(program.indices, program.indices + program.n_indices) {
    compile_shapes();
    rows_.reserve(static_cast<size_t>(program.n_rows));
    for (int64_t i = 0; i < program.n_rows; ++i) rows_.push_back(compiled(program.rows[i]));
    set_fetches(0, rows_.size());
}

void Table::compile_shapes() {
    std::vector<Move> parts;
    std::vector<size_t> end; // of each shape's parts
    for (const halo_copy_shape &shape : plain_) wide_.push_back(device::widened(shape));
    for (const halo_copy_shape &shape : wide_) {
        const std::vector<Move> moves = is_special(shape) ? std::vector{ special_move(shape, indices_.data()) } : compile(shape, lists_);
        parts.insert(parts.end(), moves.begin(), moves.end());
        end.push_back(parts.size());
    }
    const size_t n = plain_.size();
    moves_.resize(n);
    moves_.insert(moves_.end(), parts.begin(), parts.end());
    for (size_t s = 0, part = 0; s < n; part = end[s++]) {
        if (end[s] - part == 1) {
            moves_[s] = moves_[n + part];
        } else {
            if (part < end[s]) moves_[s] = moves_[n + part]; // for its slices, which are those of all parts
            moves_[s].kernel = move_by_parts;
            moves_[s].next = part < end[s] ? &moves_[n + part] : nullptr;
            for (size_t p = part; p + 1 < end[s]; ++p) moves_[n + p].next = &moves_[n + p + 1];
        }
        extents_.push_back(is_special(wide_[s]) ? Extent{} : destination_of(wide_[s]));
        moves_[s].shape = static_cast<uint32_t>(s);
        most_slices_ = std::max(most_slices_, moves_[s].n_slices);
    }
}

uint32_t Table::bases_of(const Row &row) const {
    const uint32_t *end = row.src_base + plain_[row.move->shape].n_pieces;
    return std::max(row.dst_base, *std::max_element(row.src_base, end)) + 1;
}

int64_t Table::row_beyond_bases(int64_t first, int64_t n, int64_t n_bases) const {
    if (n_bases >= n_bases_) return -1;
    for (int64_t i = first; i < first + n; ++i)
        if (n_bases < bases_of(rows_[i])) return i;
    return -1;
}

bool Table::divides_into(int64_t first, int64_t n, size_t value_bytes) const {
    const auto divides = [&](const Row &row) { return plain_[row.move->shape].element_bytes % value_bytes == 0; };
    return std::all_of(rows_.begin() + first, rows_.begin() + first + n, divides);
}

Row Table::compiled(const halo_copy_row &from) {
    Row row{};
    row.move = &moves_[from.shape];
    row.dst_base = from.dst_base;
    row.dst_offset = from.dst_offset;
    std::copy_n(from.src_base, HALO_COPY_PIECES, row.src_base);
    std::copy_n(from.src_offset, HALO_COPY_PIECES, row.src_offset);
    n_bases_ = std::max(n_bases_, bases_of(row));
    return row;
}

void Table::patch(int64_t first, int64_t n, const halo_copy_row *rows) {
    for (int64_t i = 0; i < n; ++i) rows_[first + i] = compiled(rows[i]);
    set_fetches(static_cast<size_t>(first), static_cast<size_t>(first + n));
}

// Rows of one destination follow each other; those around the range may belong to its first and last one.
void Table::set_fetches(size_t begin, size_t end) {
    if (begin == end) return;
    const auto goes_on = [this](size_t i) {
        return i > 0 && i < rows_.size() && rows_[i].dst_base == rows_[i - 1].dst_base && rows_[i].move->n_slices == rows_[i - 1].move->n_slices;
    };
    while (goes_on(begin)) --begin;
    while (goes_on(end)) ++end;
    for (size_t first = begin, last; first < end; first = last) {
        for (last = first + 1; goes_on(last);) ++last;
        set_fetch(first, last);
    }
}

// Where each value comes from the same place of another base.
bool Table::may_be_in_place(const Row &row) const {
    const halo_copy_shape &shape = plain_[row.move->shape];
    return row.dst_offset == row.src_offset[0] && shape.n_pieces == 1 && shape.lists == 0 && shape.negate == 0 && shape.dst_shift[0] == 0 &&
           shape.dst_step == shape.src_step[0] && std::equal(std::begin(shape.dst_stride), std::end(shape.dst_stride), shape.src_stride[0]);
}

// A small destination of which much is written is fetched as one stream, which is faster than one line after the other in the order of rows.
void Table::set_fetch(size_t first, size_t last) {
    constexpr int64_t most = 16384; // leaves room for the sources in the first cache
    Extent all;
    for (size_t i = first; i < last; ++i) {
        const Extent &extent = extents_[rows_[i].move->shape];
        rows_[i].fetch_bytes = may_be_in_place(rows_[i]) ? Row::may_be_in_place : 0;
        if (extent.bytes == 0) continue;
        all.low = std::min(all.low, rows_[i].dst_offset + extent.low);
        all.high = std::max(all.high, rows_[i].dst_offset + extent.high);
        all.bytes += extent.bytes;
    }
    if (all.bytes == 0 || all.high - all.low > most || all.bytes < (all.high - all.low) / 4) return;
    if (last == first + 1 && all.bytes == all.high - all.low) return; // one run: a stream by itself
    if (rows_[first].fetch_bytes == Row::may_be_in_place) return;
    rows_[first].fetch_at = static_cast<int32_t>(all.low - rows_[first].dst_offset);
    rows_[first].fetch_bytes = static_cast<int32_t>(all.high - all.low);
}

// Slice by slice, each of all rows.
void Table::move(int64_t first, int64_t n, void *const *bases, [[maybe_unused]] int n_threads) const {
    const Row *rows = rows_.data() + first;
#ifdef _OPENMP
    constexpr int64_t chunk = 32; // rows; neighbours in memory, many enough to even out their sizes
    if (n_threads > 1 && n > chunk) {
#pragma omp parallel num_threads(n_threads)
        for (int64_t slice = 0; slice < most_slices_; ++slice) {
#pragma omp for schedule(static, chunk) nowait
            for (int64_t i = 0; i < n; ++i) move_slice(rows[i], bases, slice);
        }
        return;
    }
#endif
    for (int64_t slice = 0; slice < most_slices_; ++slice)
        for (int64_t i = 0; i < n; ++i) move_slice(rows[i], bases, slice);
}

void Table::accumulate(int64_t first, int64_t n, void *const *bases, Accumulate function) const {
    for (int64_t i = first; i < first + n; ++i) {
        const uint32_t shape = rows_[i].move->shape;
        function(plain_[shape].lists != 0 ? wide_[shape] : plain_[shape], rows_[i], bases, indices_.data());
    }
}

void Table::test(int64_t first, int64_t n, void *const *bases, NullTest function, const NullRange &range, uint8_t *non_null) const {
    for (int64_t i = 0; i < n; ++i) {
        const Row &row = rows_[first + i];
        non_null[i] = function(wide_[row.move->shape], row, bases, indices_.data(), range) ? 1 : 0;
    }
}

void Table::move_tested(int64_t first, int64_t n, void *const *bases, NullTest function, const NullRange &range, uint8_t *non_null) const {
    for (int64_t i = 0; i < n; ++i) {
        const Row &row = rows_[first + i];
        non_null[i] = function(wide_[row.move->shape], row, bases, indices_.data(), range) ? 1 : 0;
        for (int64_t slice = 0; slice < row.move->n_slices; ++slice) move_slice(row, bases, slice);
    }
}

} // namespace halo::host
