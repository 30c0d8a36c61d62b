// SPDX-License-Identifier: BSD-3-Clause
// From shapes and rows to what kernels read: every piece of a row is a segment, and segments are cut into chunks of about the same size, so that
// corners of many blocks fill a device as well as one large face.
#pragma once

#include <cstdint>
#include <vector>

#include "halo_plugin.h"
#include "layout.h"

namespace halo::accelerator {

// HALO_VALUE_... of numbers of a type, of their parts where they are complex; HALO_VALUE_NONE: they are none.
halo_u32 value_of(halo_type type);

class Lowering {
public:
    // The shapes have no problem_of, the rows are right.
    explicit Lowering(const halo_copy_program &program);

    int64_t n_rows() const { return static_cast<int64_t>(rows_.size()); }
    const std::vector<halo_copy_shape> &shapes() const { return shapes_; }
    const std::vector<halo_copy_row> &rows() const { return rows_; }
    const std::vector<uint32_t> &indices() const { return indices_; }
    const std::vector<halo_piece> &pieces() const { return pieces_; }
    const std::vector<halo_segment> &segments() const { return segments_; }
    const std::vector<halo_chunk> &chunks() const { return chunks_; }
    // Rows [first, first + n) are the chunks from first_chunk(first) to first_chunk(first + n), the segments likewise.
    uint32_t first_chunk(int64_t row) const { return first_chunk_[static_cast<size_t>(row)]; }
    uint32_t first_segment(int64_t row) const { return first_segment_[static_cast<size_t>(row)]; }

    // First row of [first, first + n) that names a base from `n_bases` on; -1: none. A test has no destinations.
    int64_t row_beyond_bases(int64_t first, int64_t n, int64_t n_bases, bool with_dst) const;
    // Are the elements of these rows whole numbers of values of this size?
    bool divides_into(int64_t first, int64_t n, size_t value_bytes) const;

    // Bases that rows [first, first + n) name, each once. A test has no destinations.
    std::vector<uint32_t> bases_of(int64_t first, int64_t n, bool with_dst) const;

    // Other rows in place of these. Where every row keeps its shape only their segments change.
    bool keeps_shapes(int64_t first, int64_t n, const halo_copy_row *rows) const;
    void patch_segments(int64_t first, int64_t n, const halo_copy_row *rows) noexcept;
    Lowering patched(int64_t first, int64_t n, const halo_copy_row *rows) const;

private:
    void lower_shapes();
    void lower_rows();
    void add_row(size_t number);
    halo_segment segment_of(size_t row, uint32_t piece) const;

    std::vector<halo_copy_shape> shapes_; // as given
    std::vector<halo_copy_row> rows_;
    std::vector<uint32_t> indices_;
    std::vector<halo_piece> pieces_;
    std::vector<uint32_t> first_piece_; // of each shape
    std::vector<halo_segment> segments_;
    std::vector<halo_chunk> chunks_;
    std::vector<uint32_t> first_chunk_, first_segment_; // of each row, and behind the last
    int64_t n_bases_ = 0;                               // no row names a base from here on
};

} // namespace halo::accelerator
