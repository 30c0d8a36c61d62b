// SPDX-License-Identifier: BSD-3-Clause
#include "lowering.h"

#include <algorithm>
#include <limits>

#include "../program.h"
#include "failure.h"

namespace halo::accelerator {

namespace {

// What kernels have is what the headers say.
static_assert(HALO_LIST_SOURCE == HALO_SOURCE_LIST && HALO_LIST_DESTINATION == HALO_DESTINATION_LIST);
static_assert(HALO_ROWS_ALL == HALO_ALL_ROWS && HALO_ROWS_FLAGGED == HALO_FLAGGED_ROWS);
static_assert(HALO_LEVEL_RESTRICT == HALO_RESTRICT && HALO_LEVEL_PROLONGATE == HALO_PROLONGATE && HALO_LEVEL_DIVIDE == HALO_DIVIDE);
static_assert(HALO_SUM == HALO_OP_SUM && HALO_MIN == HALO_OP_MIN && HALO_MAX == HALO_OP_MAX && HALO_PROD == HALO_OP_PROD);
static_assert(HALO_LAND == HALO_OP_LAND && HALO_LOR == HALO_OP_LOR && HALO_LXOR == HALO_OP_LXOR);
static_assert(HALO_BAND == HALO_OP_BAND && HALO_BOR == HALO_OP_BOR && HALO_BXOR == HALO_OP_BXOR);
static_assert(HALO_FLOAT32 == HALO_TYPE_FLOAT32 && HALO_FLOAT64 == HALO_TYPE_FLOAT64 && HALO_INT32 == HALO_TYPE_INT32);
static_assert(HALO_INT64 == HALO_TYPE_INT64 && HALO_COMPLEX64 == HALO_TYPE_COMPLEX64 && HALO_COMPLEX128 == HALO_TYPE_COMPLEX128);
static_assert(HALO_INT8 == HALO_TYPE_INT8 && HALO_INT16 == HALO_TYPE_INT16 && HALO_UINT8 == HALO_TYPE_UINT8);
static_assert(HALO_UINT16 == HALO_TYPE_UINT16 && HALO_UINT32 == HALO_TYPE_UINT32 && HALO_UINT64 == HALO_TYPE_UINT64);

// Of one piece, while it is brought into the form that kernels like best: few, long lines.
struct Loops {
    int64_t run, element, dst_step, src_step;
    int64_t n[3], dst_stride[3], src_stride[3];

    bool joined() const { return run == 1 || (dst_step == element && src_step == element); }
    void drop(int d) {
        for (; d < 2; ++d) {
            n[d] = n[d + 1];
            dst_stride[d] = dst_stride[d + 1];
            src_stride[d] = src_stride[d + 1];
        }
        n[2] = 1;
        dst_stride[2] = src_stride[2] = 0;
    }
};

constexpr int64_t most = std::numeric_limits<uint32_t>::max();
constexpr int64_t longest_element = int64_t{ 1 } << 30;

// Lines that go on where the one before ends are one.
void lengthen(Loops &loops) {
    for (int d = 0; d < 3;) {
        const int64_t bytes = loops.run * loops.element;
        if (loops.n[d] == 1) {
            if (d == 2) break;
            const bool more = std::any_of(loops.n + d + 1, loops.n + 3, [](int64_t n) { return n != 1; });
            if (!more) break;
            loops.drop(d);
        } else if (loops.joined() && loops.dst_stride[d] == bytes && loops.src_stride[d] == bytes && bytes * loops.n[d] <= most) {
            loops.run *= loops.n[d];
            loops.dst_step = loops.src_step = loops.element;
            loops.drop(d);
            d = 0;
        } else {
            ++d;
        }
    }
}

// Long elements that lie apart are lines of their own.
void shorten_elements(Loops &loops) {
    constexpr int64_t long_element = 64;
    if (!loops.joined() && loops.element >= long_element && loops.n[2] == 1) {
        for (int d = 2; d > 0; --d) {
            loops.n[d] = loops.n[d - 1];
            loops.dst_stride[d] = loops.dst_stride[d - 1];
            loops.src_stride[d] = loops.src_stride[d - 1];
        }
        loops.n[0] = loops.run;
        loops.dst_stride[0] = loops.dst_step;
        loops.src_stride[0] = loops.src_step;
        loops.run = 1;
    }
    if (!loops.joined()) return;
    int64_t unit = 16;
    while (loops.element % unit != 0) unit /= 2;
    if (loops.run * (loops.element / unit) > most) return;
    loops.run *= loops.element / unit;
    loops.element = loops.dst_step = loops.src_step = unit;
}

void cut_into_chunks(halo_piece &piece) {
    constexpr uint32_t whole = 16; // elements: a cut does not spoil alignment
    const uint64_t line = uint64_t{ piece.run } * piece.element_bytes;
    piece.chunk_run = piece.run;
    if (line > HALO_CHUNK_BYTES) {
        const uint32_t fit = HALO_CHUNK_BYTES / piece.element_bytes;
        piece.chunk_run = std::min(piece.run, fit < whole ? std::max(fit, 1U) : fit / whole * whole);
    }
    piece.chunks_per_line = piece.chunk_run == 0 ? 1 : piece.run / piece.chunk_run + (piece.run % piece.chunk_run != 0);
    piece.chunk_lines = piece.chunks_per_line > 1 || line == 0 ? 1 : static_cast<uint32_t>(std::max<uint64_t>(HALO_CHUNK_BYTES / line, 1));
}

static_assert(uint64_t{ HALO_MOST_INVERTED } * (HALO_MOST_INVERTED + HALO_CHUNK_BYTES) < uint64_t{ 1 } << 31, "a chunk has at most a line a byte");

halo_piece lowered(const halo_copy_shape &shape, uint32_t p) {
    Loops loops{ shape.run[p], shape.element_bytes, shape.dst_step, shape.src_step[p], {}, {}, {} };
    for (int d = 0; d < 3; ++d) {
        loops.n[d] = shape.n[d];
        loops.dst_stride[d] = shape.dst_stride[d];
        loops.src_stride[d] = shape.src_stride[p][d];
    }
    const bool empty = loops.run == 0 || loops.n[0] == 0 || loops.n[1] == 0 || loops.n[2] == 0;
    if (!empty && shape.lists == 0) {
        lengthen(loops);
        if (shape.negate == 0) shorten_elements(loops);
        lengthen(loops);
    }
    halo_piece piece{};
    if (loops.element > longest_element) fail(HALO_ERR_LIMIT, "elements of more than 2^30 bytes");
    if (loops.n[0] * loops.n[1] > most || loops.n[0] * loops.n[1] * loops.n[2] > most) fail(HALO_ERR_LIMIT, "a row of more than 2^32 lines");
    for (int d = 0; d < 3; ++d) { // strides that nobody goes along are not to spoil alignment
        piece.dst_stride[d] = loops.n[d] > 1 ? loops.dst_stride[d] : 0;
        piece.src_stride[d] = loops.n[d] > 1 ? loops.src_stride[d] : 0;
    }
    piece.dst_step = loops.dst_step;
    piece.src_step = loops.src_step;
    piece.n[0] = static_cast<uint32_t>(loops.n[0]);
    piece.n[1] = static_cast<uint32_t>(loops.n[1]);
    piece.n_lines = empty ? 0 : static_cast<uint32_t>(loops.n[0] * loops.n[1] * loops.n[2]);
    piece.run = static_cast<uint32_t>(loops.run);
    piece.element_bytes = static_cast<uint32_t>(loops.element);
    piece.lists = shape.lists;
    piece.negate = value_of(shape.negate);
    for (int d = 0; d < 2; ++d) piece.inverse[d] = empty || piece.n[d] > HALO_MOST_INVERTED ? 0 : HALO_INVERSE(piece.n[d]);
    cut_into_chunks(piece);
    return piece;
}

uint64_t n_chunks(const halo_piece &piece) { return (uint64_t{ piece.n_lines } + piece.chunk_lines - 1) / piece.chunk_lines * piece.chunks_per_line; }

} // namespace

halo_u32 value_of(halo_type type) {
    switch (type) {
    case HALO_FLOAT32:
    case HALO_COMPLEX64: return HALO_VALUE_FLOAT;
    case HALO_FLOAT64:
    case HALO_COMPLEX128: return HALO_VALUE_DOUBLE;
    case HALO_INT32: return HALO_VALUE_INT32;
    case HALO_INT64: return HALO_VALUE_INT64;
    case HALO_BYTES: // any bit makes them data
    case HALO_UINT8: return HALO_VALUE_UINT8;
    case HALO_INT8: return HALO_VALUE_INT8;
    case HALO_INT16: return HALO_VALUE_INT16;
    case HALO_UINT16: return HALO_VALUE_UINT16;
    case HALO_UINT32: return HALO_VALUE_UINT32;
    case HALO_UINT64: return HALO_VALUE_UINT64;
    case HALO_FLOAT16:
    case HALO_BFLOAT16: return HALO_VALUE_HALF;
    default: return HALO_VALUE_NONE;
    }
}

Lowering::Lowering(const halo_copy_program &program)
    : shapes_(program.shapes, program.shapes + program.n_shapes),
      rows_(program.rows, program.rows + program.n_rows),
      indices_(program.indices, program.indices + program.n_indices) {
    lower_shapes();
    lower_rows();
}

void Lowering::lower_shapes() {
    for (const halo_copy_shape &shape : shapes_) {
        first_piece_.push_back(static_cast<uint32_t>(pieces_.size()));
        const halo_copy_shape wide = shape.negate == 0 ? device::widened(shape) : shape;
        for (uint32_t p = 0; p < shape.n_pieces; ++p) pieces_.push_back(lowered(wide, p));
    }
}

void Lowering::lower_rows() {
    segments_.clear();
    chunks_.clear();
    first_chunk_.clear();
    first_segment_.clear();
    n_bases_ = 0;
    for (size_t row = 0; row < rows_.size(); ++row) add_row(row);
    first_chunk_.push_back(static_cast<uint32_t>(chunks_.size()));
    first_segment_.push_back(static_cast<uint32_t>(segments_.size()));
}

void Lowering::add_row(size_t number) {
    const halo_copy_row &row = rows_[number];
    first_chunk_.push_back(static_cast<uint32_t>(chunks_.size()));
    first_segment_.push_back(static_cast<uint32_t>(segments_.size()));
    n_bases_ = std::max<int64_t>(n_bases_, int64_t{ row.dst_base } + 1);
    for (uint32_t p = 0; p < shapes_[row.shape].n_pieces; ++p) {
        n_bases_ = std::max<int64_t>(n_bases_, int64_t{ row.src_base[p] } + 1);
        const auto segment = static_cast<uint32_t>(segments_.size());
        segments_.push_back(segment_of(number, p));
        const uint64_t n = n_chunks(pieces_[segments_.back().piece]);
        if (chunks_.size() + n > INT32_MAX || segments_.size() > INT32_MAX) fail(HALO_ERR_LIMIT, "a table of more than 2^31 pieces of work");
        for (uint32_t k = 0; k < n; ++k) chunks_.push_back({ segment, k });
    }
}

halo_segment Lowering::segment_of(size_t number, uint32_t p) const {
    const halo_copy_row &row = rows_[number];
    halo_segment segment{};
    segment.piece = first_piece_[row.shape] + p;
    segment.dst_base = row.dst_base;
    segment.src_base = row.src_base[p];
    segment.dst_offset = row.dst_offset + shapes_[row.shape].dst_shift[p];
    segment.src_offset = row.src_offset[p];
    segment.src_list = row.src_offset[1];
    segment.dst_list = row.src_offset[2];
    segment.flag = row.flag;
    segment.row = static_cast<uint32_t>(number);
    return segment;
}

int64_t Lowering::row_beyond_bases(int64_t first, int64_t n, int64_t n_bases, bool with_dst) const {
    if (n_bases >= n_bases_) return -1;
    for (int64_t i = first; i < first + n; ++i) {
        const halo_copy_row &row = rows_[static_cast<size_t>(i)];
        bool beyond = with_dst && row.dst_base >= n_bases;
        for (uint32_t p = 0; p < shapes_[row.shape].n_pieces; ++p) beyond = beyond || row.src_base[p] >= n_bases;
        if (beyond) return i;
    }
    return -1;
}

bool Lowering::divides_into(int64_t first, int64_t n, size_t value_bytes) const {
    return std::all_of(rows_.begin() + first, rows_.begin() + first + n,
                       [&](const halo_copy_row &row) { return shapes_[row.shape].element_bytes % value_bytes == 0; });
}

std::vector<uint32_t> Lowering::bases_of(int64_t first, int64_t n, bool with_dst) const {
    std::vector<uint32_t> bases;
    for (int64_t i = first; i < first + n; ++i) {
        const halo_copy_row &row = rows_[static_cast<size_t>(i)];
        if (with_dst) bases.push_back(row.dst_base);
        bases.insert(bases.end(), row.src_base, row.src_base + shapes_[row.shape].n_pieces);
    }
    std::sort(bases.begin(), bases.end());
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
    return bases;
}

bool Lowering::keeps_shapes(int64_t first, int64_t n, const halo_copy_row *rows) const {
    const auto begin = rows_.begin() + first;
    return std::equal(begin, begin + n, rows, [](const halo_copy_row &one, const halo_copy_row &other) { return one.shape == other.shape; });
}

void Lowering::patch_segments(int64_t first, int64_t n, const halo_copy_row *rows) noexcept {
    std::copy_n(rows, n, rows_.begin() + first);
    for (int64_t row = first; row < first + n; ++row) {
        n_bases_ = std::max<int64_t>(n_bases_, int64_t{ rows_[static_cast<size_t>(row)].dst_base } + 1);
        for (uint32_t s = first_segment(row), p = 0; s < first_segment(row + 1); ++s, ++p) {
            segments_[s] = segment_of(static_cast<size_t>(row), p);
            n_bases_ = std::max<int64_t>(n_bases_, int64_t{ segments_[s].src_base } + 1);
        }
    }
}

Lowering Lowering::patched(int64_t first, int64_t n, const halo_copy_row *rows) const {
    Lowering other = *this;
    std::copy_n(rows, n, other.rows_.begin() + first);
    other.lower_rows();
    return other;
}

} // namespace halo::accelerator
