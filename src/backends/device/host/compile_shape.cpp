// SPDX-License-Identifier: BSD-3-Clause
#include "compile_shape.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace halo::host {

namespace {

bool is_empty(const halo_copy_shape &shape) { return shape.n[0] == 0 || shape.n[1] == 0 || shape.n[2] == 0; }

// Components that lie far apart are slices: rows that follow each other then meet in the cache what they share of one component.
bool is_sliced(const halo_copy_shape &shape) {
    constexpr int64_t far = 4096;
    const auto outermost = [&](const int64_t *stride) {
        const int64_t apart = std::abs(stride[2]);
        return apart >= far && apart >= shape.n[0] * std::abs(stride[0]) && apart >= shape.n[1] * std::abs(stride[1]);
    };
    if (shape.n[2] < 2 || !outermost(shape.dst_stride)) return false;
    return std::all_of(shape.src_stride, shape.src_stride + shape.n_pieces, outermost);
}

halo_copy_shape slice_of(const halo_copy_shape &shape) {
    halo_copy_shape slice = shape;
    if (is_sliced(shape)) slice.n[2] = 1;
    return slice;
}

bool is_contiguous(const halo_copy_shape &shape, uint32_t p) {
    return shape.run[p] == 1 || (shape.dst_step == shape.element_bytes && shape.src_step[p] == shape.element_bytes);
}

// Exchange or drop loops: all of the move's loop arrays in step.
void swap_loops(Move &move, int a, int b) {
    std::swap(move.n[a], move.n[b]);
    std::swap(move.dst_stride[a], move.dst_stride[b]);
    for (uint32_t k = 0; k < move.n_pieces; ++k) std::swap(move.src_stride[k][a], move.src_stride[k][b]);
}

void drop_loop(Move &move, int d) {
    move.n[d] = 1;
    for (; d < 2; ++d) swap_loops(move, d, d + 1);
}

// Does loop `b` go on where loop `a` ends?
bool continues(const Move &move, int a, int b) {
    if (move.n[b] == 1 || move.dst_stride[b] != move.n[a] * move.dst_stride[a]) return false;
    for (uint32_t k = 0; k < move.n_pieces; ++k)
        if (move.src_stride[k][b] != move.n[a] * move.src_stride[k][a]) return false;
    return true;
}

// Few, long loops in the order of destination memory.
void arrange_loops(Move &move) {
    for (int d = 2; d >= 0; --d)
        if (move.n[d] == 1) drop_loop(move, d);
    const auto before = [&](int a, int b) {
        return move.n[b] == 1 || (move.n[a] != 1 && std::abs(move.dst_stride[a]) <= std::abs(move.dst_stride[b]));
    };
    for (const auto &[a, b] : { std::pair{ 0, 1 }, std::pair{ 1, 2 }, std::pair{ 0, 1 } })
        if (!before(a, b)) swap_loops(move, a, b);
    for (int d = 1; d >= 0; --d)
        if (continues(move, d, d + 1)) {
            move.n[d] *= move.n[d + 1];
            drop_loop(move, d + 1);
        }
}

// A single contiguous run takes in the lines that follow it without a gap.
void lengthen_run(Move &move) {
    while (move.n[0] > 1 && move.dst_stride[0] == move.middle && move.src_stride[0][0] == move.middle) {
        move.middle *= move.n[0];
        drop_loop(move, 0);
    }
}

// The loops of `n_pieces` from `first` on; kernel and middle are still to be set.
Move loops_of(const halo_copy_shape &shape, uint32_t first, uint32_t n_pieces) {
    Move move{};
    move.first_piece = first;
    move.n_pieces = n_pieces;
    move.n_slices = 1;
    move.dst_shift = shape.dst_shift[first];
    std::copy_n(shape.n, 3, move.n);
    std::copy_n(shape.dst_stride, 3, move.dst_stride);
    for (uint32_t k = 0; k < n_pieces; ++k) std::copy_n(shape.src_stride[first + k], 3, move.src_stride[k]);
    arrange_loops(move);
    return move;
}

Move strided_move(const halo_copy_shape &shape, uint32_t piece) {
    Move move = loops_of(shape, piece, 1);
    move.kernel = strided_kernel(shape.element_bytes);
    move.middle = shape.run[piece];
    move.element_bytes = shape.element_bytes;
    move.dst_step = shape.dst_step;
    move.src_step = shape.src_step[piece];
    return move;
}

// Worth listing: every source has the destination's strides, and the list stays small beside what is copied.
bool can_be_listed(const Move &move) {
    constexpr int64_t most_lines = 1024;
    if (move.n[0] * move.n[1] * move.n[2] > most_lines) return false;
    int64_t reach = 0;
    for (int d = 0; d < 3; ++d) {
        reach += std::abs(move.dst_stride[d]) * move.n[d];
        for (uint32_t k = 0; k < move.n_pieces; ++k)
            if (move.n[d] > 1 && move.src_stride[k][d] != move.dst_stride[d]) return false;
    }
    return reach <= INT32_MAX;
}

void list_lines(Move &move, LineLists &lists) {
    std::vector<int32_t> &list = lists.emplace_back();
    for (int64_t i2 = 0; i2 < move.n[2]; ++i2)
        for (int64_t i1 = 0; i1 < move.n[1]; ++i1)
            for (int64_t i0 = 0; i0 < move.n[0]; ++i0)
                list.push_back(static_cast<int32_t>(i2 * move.dst_stride[2] + i1 * move.dst_stride[1] + i0 * move.dst_stride[0]));
    move.lines = list.data();
    move.n_lines = static_cast<int64_t>(list.size());
}

// Pieces in the order of the destination: what lies left, in the middle (0: a gap) and right.
struct Parts {
    int64_t left, middle, right;
};

// How `n` contiguous pieces from `first` on can be seen as parts of one line; false: not at all.
bool divide(const halo_copy_shape &shape, uint32_t first, uint32_t n, Parts &parts) {
    int64_t bytes[HALO_COPY_PIECES] = {}, gap[HALO_COPY_PIECES] = {}; // gap: behind the piece
    for (uint32_t k = 0; k < n; ++k) bytes[k] = int64_t{ shape.run[first + k] } * shape.element_bytes;
    for (uint32_t k = 0; k + 1 < n; ++k) gap[k] = shape.dst_shift[first + k + 1] - shape.dst_shift[first + k] - bytes[k];
    if (n == 2 && bytes[0] == bytes[1]) {
        parts = { bytes[0], 0, bytes[1] };
        return gap[0] >= 0;
    }
    if (n == 2 && bytes[0] > bytes[1])
        parts = { 0, bytes[0], bytes[1] };
    else
        parts = n == 1 ? Parts{ 0, bytes[0], 0 } : Parts{ bytes[0], bytes[1], bytes[2] };
    return gap[0] == 0 && gap[1] == 0;
}

// One move for `n` contiguous pieces from `first` on. false: there is no kernel for them together; for one there is.
bool contiguous_move(const halo_copy_shape &shape, uint32_t first, uint32_t n, LineLists &lists, Move &move) {
    Parts parts{};
    if (!divide(shape, first, n, parts)) return false;
    move = loops_of(shape, first, n);
    move.middle = parts.middle;
    if (n == 1) {
        lengthen_run(move);
        parts.middle = move.middle;
    } else if (parts.middle == 0) {
        move.middle = shape.dst_shift[first + 1] - shape.dst_shift[first] - parts.left;
    }
    const bool listed = can_be_listed(move);
    move.kernel = contiguous_kernel(listed, parts.left, parts.middle, parts.right);
    if (move.kernel != nullptr && listed) list_lines(move, lists);
    return move.kernel != nullptr;
}

void set_slices(const halo_copy_shape &shape, Move &move) {
    move.n_slices = shape.n[2];
    move.dst_slice = shape.dst_stride[2];
    for (uint32_t k = 0; k < move.n_pieces; ++k) move.src_slice[k] = shape.src_stride[move.first_piece + k][2];
}

// The move for the pieces from `first` on: as many as one kernel can do.
Move first_move(const halo_copy_shape &shape, uint32_t first, LineLists &lists) {
    uint32_t end = first;
    while (end < shape.n_pieces && shape.run[end] != 0 && is_contiguous(shape, end)) ++end;
    Move move{};
    for (uint32_t n = end - first; n > 0; --n)
        if (contiguous_move(shape, first, n, lists, move)) return move;
    return strided_move(shape, first);
}

} // namespace

Extent destination_of(const halo_copy_shape &shape) {
    const halo_copy_shape slice = slice_of(shape);
    Extent all;
    for (uint32_t p = 0; p < slice.n_pieces && !is_empty(slice); ++p) {
        if (slice.run[p] == 0) continue;
        int64_t low = slice.dst_shift[p], high = low + slice.element_bytes;
        const auto widen = [&](uint32_t n, int64_t stride) { (stride < 0 ? low : high) += (int64_t{ n } - 1) * stride; };
        widen(slice.run[p], slice.dst_step);
        for (int d = 0; d < 3; ++d) widen(slice.n[d], slice.dst_stride[d]);
        all.low = std::min(all.low, low);
        all.high = std::max(all.high, high);
        all.bytes += int64_t{ slice.run[p] } * slice.element_bytes * slice.n[0] * slice.n[1] * slice.n[2];
    }
    return all;
}

std::vector<Move> compile(const halo_copy_shape &shape, LineLists &lists) {
    std::vector<Move> moves;
    if (is_empty(shape)) return moves;
    const halo_copy_shape slice = slice_of(shape);
    for (uint32_t p = 0; p < shape.n_pieces;) {
        if (shape.run[p] == 0) {
            ++p;
            continue;
        }
        moves.push_back(first_move(slice, p, lists));
        if (slice.n[2] != shape.n[2]) set_slices(shape, moves.back());
        p += moves.back().n_pieces;
    }
    return moves;
}

} // namespace halo::host
