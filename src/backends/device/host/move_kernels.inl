// SPDX-License-Identifier: BSD-3-Clause
// Kernels of moves. Compiled once for each instruction set: HALO_ISA names it, HALO_VECTOR_BYTES is the width of its registers.
// No function of the standard library: an inline function compiled for a newer processor must not be the one that the linker keeps for all.
#include "move.h"

namespace halo::host {

namespace {

// A value of `n` bytes at any address.
template <int n>
struct Word {
    typedef char type __attribute__((vector_size(n), aligned(1), may_alias));
};
template <>
struct Word<8> {
    typedef uint64_t type __attribute__((aligned(1), may_alias));
};
template <>
struct Word<4> {
    typedef uint32_t type __attribute__((aligned(1), may_alias));
};
template <>
struct Word<2> {
    typedef uint16_t type __attribute__((aligned(1), may_alias));
};
template <>
struct Word<1> {
    typedef unsigned char type;
};

template <int n>
[[gnu::always_inline]] inline void copy_word(char *dst, const char *src) {
    using Value = typename Word<n>::type;
    *reinterpret_cast<Value *>(dst) = *reinterpret_cast<const Value *>(src);
}

constexpr int word_bytes(int bytes) {
    int word = HALO_VECTOR_BYTES;
    while (word > bytes) word /= 2;
    return word;
}

template <int n>
[[gnu::always_inline]] inline void copy_fixed(char *dst, const char *src) {
    constexpr int word = word_bytes(n);
    copy_word<word>(dst, src);
    if constexpr (n > word) copy_fixed<n - word>(dst + word, src + word);
}

// Ways to copy a contiguous run.
template <int n>
struct Fixed {
    [[gnu::always_inline]] static void copy(char *dst, const char *src, int64_t) { copy_fixed<n>(dst, src); }
};

// n to 2n bytes: two overlapping parts.
template <int n>
struct Overlapped {
    [[gnu::always_inline]] static void copy(char *dst, const char *src, int64_t bytes) {
        copy_fixed<n>(dst, src);
        copy_fixed<n>(dst + (bytes - n), src + (bytes - n));
    }
};

// 64 bytes or more.
struct Long {
    [[gnu::always_inline]] static void copy(char *dst, const char *src, int64_t bytes) {
        const int64_t last = bytes - 64;
        for (int64_t i = 0; i < last; i += 64) copy_fixed<64>(dst + i, src + i);
        copy_fixed<64>(dst + last, src + last);
    }
};

inline const char *source_of(const MoveOperand &operand, const halo_copy_row &row, void *const *bases) {
    return static_cast<const char *>(bases[row.src_base[operand.piece]]) + row.src_offset[operand.piece];
}

inline char *destination_of(const Move &move, const halo_copy_row &row, void *const *bases) {
    return static_cast<char *>(bases[row.dst_base]) + row.dst_offset + move.operand[0].dst_shift;
}

// The lines of `n_ends` runs in the way `End` and one run in the way `Middle`.
template <class End, class Middle, int n_ends>
void move_lines(const Move &move, const halo_copy_row &row, void *const *bases) {
    constexpr int n_operands = n_ends + 1;
    const int64_t n0 = move.n[0], n1 = move.n[1], n2 = move.n[2];
    const int64_t dst_stride = move.dst_stride[0];
    const int64_t bytes = move.operand[n_ends].length;
    const char *src[n_operands];
    int64_t shift[n_operands], src_stride[n_operands];
    for (int k = 0; k < n_operands; ++k) {
        src[k] = source_of(move.operand[k], row, bases);
        shift[k] = move.operand[k].dst_shift - move.operand[0].dst_shift;
        src_stride[k] = move.operand[k].src_stride[0];
    }
    char *const dst = destination_of(move, row, bases);
    for (int64_t i2 = 0; i2 < n2; ++i2)
        for (int64_t i1 = 0; i1 < n1; ++i1) {
            char *to = dst + i2 * move.dst_stride[2] + i1 * move.dst_stride[1];
            const char *from[n_operands];
            for (int k = 0; k < n_operands; ++k) from[k] = src[k] + i2 * move.operand[k].src_stride[2] + i1 * move.operand[k].src_stride[1];
            for (int64_t i0 = 0; i0 < n0; ++i0) {
                for (int k = 0; k < n_ends; ++k) End::copy(to + shift[k], from[k], 0);
                Middle::copy(to + shift[n_ends], from[n_ends], bytes);
                to += dst_stride;
                for (int k = 0; k < n_operands; ++k) from[k] += src_stride[k];
            }
        }
}

// Elements of a size known here.
template <int n>
struct Element {
    [[gnu::always_inline]] static void copy(char *dst, const char *src, int64_t) { copy_fixed<n>(dst, src); }
};

// Elements of any size.
struct AnyElement {
    [[gnu::always_inline]] static void copy(char *dst, const char *src, int64_t bytes) { __builtin_memcpy(dst, src, static_cast<size_t>(bytes)); }
};

template <class One>
void move_strided(const Move &move, const halo_copy_row &row, void *const *bases) {
    const MoveOperand &operand = move.operand[0];
    const int64_t count = operand.length, element_bytes = move.element_bytes;
    const int64_t dst_step = move.dst_step, src_step = operand.src_step;
    char *const dst = destination_of(move, row, bases);
    const char *const src = source_of(operand, row, bases);
    for (int64_t i2 = 0; i2 < move.n[2]; ++i2)
        for (int64_t i1 = 0; i1 < move.n[1]; ++i1)
            for (int64_t i0 = 0; i0 < move.n[0]; ++i0) {
                char *to = dst + i2 * move.dst_stride[2] + i1 * move.dst_stride[1] + i0 * move.dst_stride[0];
                const char *from = src + i2 * operand.src_stride[2] + i1 * operand.src_stride[1] + i0 * operand.src_stride[0];
                for (int64_t i = 0; i < count; ++i, to += dst_step, from += src_step) One::copy(to, from, element_bytes);
            }
}

template <class End, int n_ends>
MoveKernel with_middle(int64_t bytes) {
    switch (bytes) {
    case 16: return move_lines<End, Fixed<16>, n_ends>;
    case 32: return move_lines<End, Fixed<32>, n_ends>;
    case 64: return move_lines<End, Fixed<64>, n_ends>;
    case 128: return move_lines<End, Fixed<128>, n_ends>;
    case 256: return move_lines<End, Fixed<256>, n_ends>;
    case 512: return move_lines<End, Fixed<512>, n_ends>;
    default: break;
    }
    if (bytes > 64) return move_lines<End, Long, n_ends>;
    if (bytes > 32) return move_lines<End, Overlapped<32>, n_ends>;
    if (bytes > 16) return move_lines<End, Overlapped<16>, n_ends>;
    return nullptr;
}

template <int end_bytes>
MoveKernel with_ends(int n_ends, int64_t bytes) {
    using End = Fixed<end_bytes>;
    if (n_ends == 2) return with_middle<End, 2>(bytes);
    return bytes == end_bytes ? move_lines<End, End, 1> : with_middle<End, 1>(bytes);
}

MoveKernel alone(int64_t bytes) {
    switch (bytes) {
    case 1: return move_lines<Fixed<1>, Fixed<1>, 0>;
    case 4: return move_lines<Fixed<4>, Fixed<4>, 0>;
    case 8: return move_lines<Fixed<8>, Fixed<8>, 0>;
    case 24: return move_lines<Fixed<24>, Fixed<24>, 0>;
    default: break;
    }
    if (bytes < 4) return move_lines<Fixed<2>, Overlapped<2>, 0>;
    if (bytes < 8) return move_lines<Fixed<4>, Overlapped<4>, 0>;
    if (bytes < 16) return move_lines<Fixed<8>, Overlapped<8>, 0>;
    return with_middle<Fixed<16>, 0>(bytes);
}

MoveKernel contiguous(int n_ends, int64_t end_bytes, int64_t bytes) {
    if (n_ends == 0) return alone(bytes);
    switch (end_bytes) {
    case 4: return with_ends<4>(n_ends, bytes);
    case 8: return with_ends<8>(n_ends, bytes);
    case 16: return with_ends<16>(n_ends, bytes);
    case 24: return with_ends<24>(n_ends, bytes);
    case 32: return with_ends<32>(n_ends, bytes);
    case 40: return with_ends<40>(n_ends, bytes);
    case 48: return with_ends<48>(n_ends, bytes);
    case 64: return with_ends<64>(n_ends, bytes);
    default: return nullptr;
    }
}

MoveKernel strided(int64_t element_bytes) {
    switch (element_bytes) {
    case 1: return move_strided<Element<1>>;
    case 2: return move_strided<Element<2>>;
    case 4: return move_strided<Element<4>>;
    case 8: return move_strided<Element<8>>;
    case 16: return move_strided<Element<16>>;
    case 32: return move_strided<Element<32>>;
    default: return move_strided<AnyElement>;
    }
}

} // namespace

const MoveKernels HALO_MOVES = { HALO_ISA, contiguous, strided };

} // namespace halo::host
