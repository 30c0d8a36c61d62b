// SPDX-License-Identifier: BSD-3-Clause
// Kernels of contiguous runs, as templates. Everything is local to the file that includes this, so that files may be compiled for different
// processors.
#pragma once

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

#if defined(__AVX512F__)
constexpr int widest_word = 64;
#else
constexpr int widest_word = 16; // which every processor has
#endif

constexpr int word_bytes(int bytes) {
    int word = widest_word;
    while (word > bytes) word /= 2;
    return word;
}

template <int n>
[[gnu::always_inline]] inline void copy_fixed(char *dst, const char *src) {
    constexpr int word = word_bytes(n);
    copy_word<word>(dst, src);
    if constexpr (n > word) copy_fixed<n - word>(dst + word, src + word);
}

// Ways to copy a contiguous run of `length` bytes, and how many sources it has.
template <int n>
struct Fixed {
    static constexpr int n_sources = 1;
    static constexpr bool any_length = false;
    [[gnu::always_inline]] static int64_t length_of(int64_t) { return n; }
    [[gnu::always_inline]] static void copy(char *dst, const char *src, int64_t) { copy_fixed<n>(dst, src); }
};

struct AnyLength {
    static constexpr int n_sources = 1;
    static constexpr bool any_length = true;
    [[gnu::always_inline]] static int64_t length_of(int64_t length) { return length; }
};

// n to 2n bytes: two overlapping parts.
template <int n>
struct Overlapped : AnyLength {
    [[gnu::always_inline]] static void copy(char *dst, const char *src, int64_t length) {
        copy_fixed<n>(dst, src);
        copy_fixed<n>(dst + (length - n), src + (length - n));
    }
};

// 64 bytes or more.
struct Long : AnyLength {
    [[gnu::always_inline]] static void copy(char *dst, const char *src, int64_t length) {
        const int64_t last = length - 64;
        for (int64_t i = 0; i < last; i += 64) copy_fixed<64>(dst + i, src + i);
        copy_fixed<64>(dst + last, src + last);
    }
};

// Nothing is copied, the destination has a gap there.
struct Gap {
    static constexpr int n_sources = 0;
    static constexpr bool any_length = false;
    [[gnu::always_inline]] static int64_t length_of(int64_t length) { return length; }
    [[gnu::always_inline]] static void copy(char *, const char *, int64_t) {}
};

struct Nothing {
    static constexpr int n_sources = 0;
    [[gnu::always_inline]] static int64_t length_of(int64_t) { return 0; }
    [[gnu::always_inline]] static void copy(char *, const char *, int64_t) {}
};

// Runs of one line in the order of the destination, which is the order to write them in: stores that follow each other into one cache line are
// merged on their way to it.
template <class Left, class Middle, class Right>
struct Line {
    static constexpr int n_pieces = Left::n_sources + Middle::n_sources + Right::n_sources;
    static constexpr int middle = Middle::n_sources == 0 ? 0 : Left::n_sources;
    static constexpr int right = n_pieces - 1;
    static constexpr bool any_length = Middle::any_length;

    char *dst;
    const char *src[n_pieces];
    int64_t length; // of the middle

    [[gnu::always_inline]] Line(const Move &move, const Row &row, void *const *bases, int64_t slice) : length(move.middle) {
        const uint32_t *const base = row.src_base + move.first_piece;
        const int64_t *const offset = row.src_offset + move.first_piece;
        dst = static_cast<char *>(bases[row.dst_base]) + (row.dst_offset + move.dst_shift + slice * move.dst_slice);
        for (int k = 0; k < n_pieces; ++k) src[k] = static_cast<const char *>(bases[base[k]]) + (offset[k] + slice * move.src_slice[k]);
    }
    [[gnu::always_inline]] void copy(int64_t dst_at, const int64_t *src_at) const {
        char *const to = dst + dst_at;
        Left::copy(to, src[0] + src_at[0], 0);
        Middle::copy(to + Left::length_of(0), src[middle] + src_at[middle], length);
        Right::copy(to + (Left::length_of(0) + Middle::length_of(length)), src[right] + src_at[right], 0);
    }
    [[gnu::always_inline]] void copy(int64_t at) const {
        int64_t src_at[n_pieces];
        for (int k = 0; k < n_pieces; ++k) src_at[k] = at;
        copy(at, src_at);
    }
};

// Lines at listed places, which are the same everywhere. Several at once where that leaves all values in registers: one that is put on the stack
// comes between the stores and costs more than it saves.
template <class Line>
void move_listed(const Move &move, const Row &row, void *const *bases, int64_t slice) {
    const Line line(move, row, bases, slice);
    const int32_t *at = move.lines;
    const int32_t *const end = at + move.n_lines;
    if constexpr (!Line::any_length)
        for (; end - at >= 4; at += 4) {
            const int64_t a = at[0], b = at[1], c = at[2], d = at[3];
            line.copy(a);
            line.copy(b);
            line.copy(c);
            line.copy(d);
        }
    for (; at < end; ++at) line.copy(*at);
}

// Lines of a loop nest.
template <class Line>
void move_nested(const Move &move, const Row &row, void *const *bases, int64_t slice) {
    constexpr int n_pieces = Line::n_pieces;
    const Line line(move, row, bases, slice);
    const int64_t n0 = move.n[0], n1 = move.n[1], n2 = move.n[2];
    const int64_t dst_stride = move.dst_stride[0];
    int64_t src_stride[n_pieces];
    for (int k = 0; k < n_pieces; ++k) src_stride[k] = move.src_stride[k][0];
    for (int64_t i2 = 0; i2 < n2; ++i2)
        for (int64_t i1 = 0; i1 < n1; ++i1) {
            int64_t dst_at = i2 * move.dst_stride[2] + i1 * move.dst_stride[1];
            int64_t src_at[n_pieces];
            for (int k = 0; k < n_pieces; ++k) src_at[k] = i2 * move.src_stride[k][2] + i1 * move.src_stride[k][1];
            for (int64_t i0 = 0; i0 < n0; ++i0) {
                line.copy(dst_at, src_at);
                dst_at += dst_stride;
                for (int k = 0; k < n_pieces; ++k) src_at[k] += src_stride[k];
            }
        }
}

template <class Left, class Middle, class Right>
MoveKernel kernel(bool listed) {
    using Runs = Line<Left, Middle, Right>;
    return listed ? move_listed<Runs> : move_nested<Runs>;
}

} // namespace

} // namespace halo::host
