// SPDX-License-Identifier: BSD-3-Clause
// Kernels of moves. They use registers of 16 bytes, which every processor has: copies of ghosts wait for memory; wider
// registers shorten those of blocks of 8 cells only, and lengthen others.
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
    int word = 16;
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
struct Gap : AnyLength {
    static constexpr bool any_length = false;
    static constexpr int n_sources = 0;
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
void move_strided(const Move &move, const Row &row, void *const *bases, int64_t slice) {
    const int64_t count = move.middle, element_bytes = move.element_bytes;
    const int64_t dst_step = move.dst_step, src_step = move.src_step;
    const int64_t *const dst_stride = move.dst_stride, *const src_stride = move.src_stride[0];
    char *const dst = static_cast<char *>(bases[row.dst_base]) + (row.dst_offset + move.dst_shift + slice * move.dst_slice);
    const char *const src =
        static_cast<const char *>(bases[row.src_base[move.first_piece]]) + (row.src_offset[move.first_piece] + slice * move.src_slice[0]);
    for (int64_t i2 = 0; i2 < move.n[2]; ++i2)
        for (int64_t i1 = 0; i1 < move.n[1]; ++i1)
            for (int64_t i0 = 0; i0 < move.n[0]; ++i0) {
                const int64_t dst_at = i2 * dst_stride[2] + i1 * dst_stride[1] + i0 * dst_stride[0];
                const int64_t src_at = i2 * src_stride[2] + i1 * src_stride[1] + i0 * src_stride[0];
                for (int64_t i = 0; i < count; ++i) One::copy(dst + (dst_at + i * dst_step), src + (src_at + i * src_step), element_bytes);
            }
}

template <class Left, class Middle, class Right>
MoveKernel kernel(bool listed) {
    using Runs = Line<Left, Middle, Right>;
    return listed ? move_listed<Runs> : move_nested<Runs>;
}

template <class Left, class Right>
MoveKernel with_any_middle(bool listed, int64_t bytes) {
    if (bytes >= 64) return kernel<Left, Long, Right>(listed);
    if (bytes >= 32) return kernel<Left, Overlapped<32>, Right>(listed);
    if (bytes >= 16) return kernel<Left, Overlapped<16>, Right>(listed);
    return nullptr;
}

template <class Left, class Right>
MoveKernel with_middle(bool listed, int64_t bytes) {
    if (bytes == 64) return kernel<Left, Fixed<64>, Right>(listed);
    if (bytes == 128) return kernel<Left, Fixed<128>, Right>(listed);
    return with_any_middle<Left, Right>(listed, bytes);
}

template <int end>
MoveKernel with_ends(bool listed, int64_t left, int64_t middle, int64_t right) {
    using End = Fixed<end>;
    if (left == right) return middle == 0 ? kernel<End, Gap, End>(listed) : with_middle<End, End>(listed, middle);
    return left == end ? with_any_middle<End, Nothing>(listed, middle) : with_any_middle<Nothing, End>(listed, middle);
}

MoveKernel alone(bool listed, int64_t bytes) {
    switch (bytes) {
    case 1: return kernel<Nothing, Fixed<1>, Nothing>(listed);
    case 4: return kernel<Nothing, Fixed<4>, Nothing>(listed);
    case 8: return kernel<Nothing, Fixed<8>, Nothing>(listed);
    case 16: return kernel<Nothing, Fixed<16>, Nothing>(listed);
    case 24: return kernel<Nothing, Fixed<24>, Nothing>(listed);
    default: break;
    }
    if (bytes < 4) return kernel<Nothing, Overlapped<2>, Nothing>(listed);
    if (bytes < 8) return kernel<Nothing, Overlapped<4>, Nothing>(listed);
    if (bytes < 16) return kernel<Nothing, Overlapped<8>, Nothing>(listed);
    return with_middle<Nothing, Nothing>(listed, bytes);
}

} // namespace

MoveKernel contiguous_kernel(bool listed, int64_t left, int64_t middle, int64_t right) {
    if (left != right && left != 0 && right != 0) return nullptr;
    switch (left != 0 ? left : right) {
    case 0: return alone(listed, middle);
    case 4: return with_ends<4>(listed, left, middle, right);
    case 8: return with_ends<8>(listed, left, middle, right);
    case 12: return with_ends<12>(listed, left, middle, right);
    case 16: return with_ends<16>(listed, left, middle, right);
    case 24: return with_ends<24>(listed, left, middle, right);
    case 32: return with_ends<32>(listed, left, middle, right);
    case 48: return with_ends<48>(listed, left, middle, right);
    case 64: return with_ends<64>(listed, left, middle, right);
    default: return nullptr;
    }
}

MoveKernel strided_kernel(int64_t element_bytes) {
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

} // namespace halo::host
