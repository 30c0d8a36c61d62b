// SPDX-License-Identifier: BSD-3-Clause
#include "compile_shape.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace halo::host {

namespace {

bool is_empty(const halo_copy_shape &shape) { return shape.n[0] == 0 || shape.n[1] == 0 || shape.n[2] == 0; }

// Do the elements of index `d` lie side by side everywhere?
bool side_by_side(const halo_copy_shape &shape, int d) {
    if (shape.n[d] < 2 || shape.dst_stride[d] != shape.element_bytes || uint64_t{ shape.n[d] } * shape.element_bytes > UINT32_MAX) return false;
    for (uint32_t p = 0; p < shape.n_pieces; ++p)
        if (shape.src_stride[p][d] != shape.element_bytes) return false;
    return true;
}

bool is_contiguous(const halo_copy_shape &shape, uint32_t p) {
    return shape.run[p] == 1 || (shape.dst_step == shape.element_bytes && shape.src_step[p] == shape.element_bytes);
}

// Exchange or drop loops: all of the move's loop arrays in step.
void swap_loops(Move &move, int a, int b) {
    std::swap(move.n[a], move.n[b]);
    std::swap(move.dst_stride[a], move.dst_stride[b]);
    for (uint32_t k = 0; k < move.n_operands; ++k) std::swap(move.operand[k].src_stride[a], move.operand[k].src_stride[b]);
}

void drop_loop(Move &move, int d) {
    move.n[d] = 1;
    for (; d < 2; ++d) swap_loops(move, d, d + 1);
}

// Does loop `b` go on where loop `a` ends?
bool continues(const Move &move, int a, int b) {
    if (move.n[b] == 1 || move.dst_stride[b] != move.n[a] * move.dst_stride[a]) return false;
    for (uint32_t k = 0; k < move.n_operands; ++k)
        if (move.operand[k].src_stride[b] != move.n[a] * move.operand[k].src_stride[a]) return false;
    return true;
}

// Few, long loops in the order of destination memory.
void arrange_loops(Move &move) {
    for (int d = 2; d >= 0; --d)
        if (move.n[d] == 1) drop_loop(move, d);
    const auto before = [&](int a, int b) { return move.n[b] == 1 || (move.n[a] != 1 && std::abs(move.dst_stride[a]) <= std::abs(move.dst_stride[b])); };
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
    MoveOperand &only = move.operand[0];
    while (move.n[0] > 1 && move.dst_stride[0] == only.length && only.src_stride[0] == only.length) {
        only.length *= move.n[0];
        drop_loop(move, 0);
    }
}

Move move_of(const halo_copy_shape &shape, const std::vector<uint32_t> &pieces) {
    Move move{};
    move.n_operands = static_cast<uint32_t>(pieces.size());
    move.dst_step = shape.dst_step;
    move.element_bytes = shape.element_bytes;
    std::copy_n(shape.n, 3, move.n);
    std::copy_n(shape.dst_stride, 3, move.dst_stride);
    const bool contiguous = is_contiguous(shape, pieces[0]);
    for (uint32_t k = 0; k < move.n_operands; ++k) {
        const uint32_t p = pieces[k];
        MoveOperand &operand = move.operand[k];
        operand.piece = p;
        operand.length = contiguous ? int64_t{ shape.run[p] } * shape.element_bytes : shape.run[p];
        operand.dst_shift = shape.dst_shift[p];
        operand.src_step = shape.src_step[p];
        std::copy_n(shape.src_stride[p], 3, operand.src_stride);
    }
    arrange_loops(move);
    if (contiguous && move.n_operands == 1) lengthen_run(move);
    return move;
}

// Take from `pieces`, which are contiguous and sorted by length, those that one kernel can do together.
Move take_together(const halo_copy_shape &shape, std::vector<uint32_t> &pieces, const MoveKernels &kernels) {
    const auto bytes = [&](uint32_t p) { return int64_t{ shape.run[p] } * shape.element_bytes; };
    const bool equal_ends = pieces.size() == 3 && bytes(pieces[0]) == bytes(pieces[1]);
    if (pieces.size() == 2 || equal_ends)
        if (const MoveKernel kernel = kernels.contiguous(static_cast<int>(pieces.size()) - 1, bytes(pieces[0]), bytes(pieces.back()))) {
            Move move = move_of(shape, std::exchange(pieces, {}));
            move.kernel = kernel;
            return move;
        }
    Move move = move_of(shape, { pieces.front() });
    pieces.erase(pieces.begin());
    move.kernel = kernels.contiguous(0, 0, move.operand[0].length);
    return move;
}

} // namespace

const char *problem_of(const halo_copy_shape &shape) {
    if (shape.n_pieces < 1 || shape.n_pieces > HALO_COPY_PIECES) return "the number of pieces is not 1, 2 or 3";
    if (shape.element_bytes == 0) return "elements have no bytes";
    return nullptr;
}

halo_copy_shape widened(const halo_copy_shape &shape) {
    halo_copy_shape wide = shape;
    for (int tries = 0; tries < 3; ++tries)
        for (int d = 0; d < 3; ++d)
            if (side_by_side(wide, d)) {
                wide.element_bytes *= wide.n[d];
                wide.n[d] = 1;
            }
    return wide;
}

std::vector<Move> compile(const halo_copy_shape &shape, const MoveKernels &kernels) {
    std::vector<Move> moves;
    if (is_empty(shape)) return moves;
    std::vector<uint32_t> contiguous;
    for (uint32_t p = 0; p < shape.n_pieces; ++p) {
        if (shape.run[p] == 0) continue;
        if (is_contiguous(shape, p)) {
            contiguous.push_back(p);
        } else {
            moves.push_back(move_of(shape, { p }));
            moves.back().kernel = kernels.strided(shape.element_bytes);
        }
    }
    std::sort(contiguous.begin(), contiguous.end(), [&](uint32_t a, uint32_t b) { return std::pair{ shape.run[a], a } < std::pair{ shape.run[b], b }; });
    while (!contiguous.empty()) moves.push_back(take_together(shape, contiguous, kernels));
    return moves;
}

} // namespace halo::host
