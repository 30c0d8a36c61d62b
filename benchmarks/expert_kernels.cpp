// SPDX-License-Identifier: BSD-3-Clause
// Compiled once for each instruction set: BENCH_KERNELS names the set, BENCH_VECTOR_BYTES is the width of its registers.
#include "expert_jobs.h"

#include <utility>

namespace bench {

namespace {

template <int bytes>
struct Vector {
    typedef double type __attribute__((vector_size(bytes), aligned(8)));
};
template <>
struct Vector<8> {
    typedef double type;
};

template <int n>
[[gnu::always_inline]] inline void copy_values(double *dst, const double *src) {
    constexpr int most = BENCH_VECTOR_BYTES / 8;
    constexpr int width = n >= most ? most : n >= 4 ? 4 : n >= 2 ? 2 : 1;
    using Word = typename Vector<width * 8>::type;
    *reinterpret_cast<Word *>(dst) = *reinterpret_cast<const Word *>(src);
    if constexpr (n > width) copy_values<n - width>(dst + width, src + width);
}

// Sizes known to the compiler.
template <int b, int g>
struct Fixed {
    static constexpr int block = b, ghost = g;
    explicit Fixed(const RowSizes &) {}
    [[gnu::always_inline]] static void copy_ghost(double *dst, const double *src) { copy_values<g>(dst, src); }
    [[gnu::always_inline]] static void copy_block(double *dst, const double *src) { copy_values<b>(dst, src); }
};

struct Any {
    int block, ghost;
    explicit Any(const RowSizes &sizes) : block(sizes.block), ghost(sizes.ghost) {}
    static void copy(double *dst, const double *src, int n) {
        for (int i = 0; i < n; ++i) dst[i] = src[i];
    }
    void copy_ghost(double *dst, const double *src) const { copy(dst, src, ghost); }
    void copy_block(double *dst, const double *src) const { copy(dst, src, block); }
};

template <class Shape, Move move, int pieces, bool beside_y, bool beside_z>
[[gnu::always_inline]] inline void copy_rows(const RowJob &job, const RowSizes &sizes) {
    const Shape shape(sizes);
    const int64_t row = shape.block + 2 * shape.ghost;
    const int ny = beside_y ? shape.block : shape.ghost, nz = beside_z ? shape.block : shape.ghost;
    // where the pieces begin in a stored and in a packed row
    const int64_t at_middle = shape.ghost, at_right = at_middle + shape.block;
    const int64_t packed_middle = pieces & left ? shape.ghost : 0;
    const int64_t packed_right = packed_middle + (pieces & middle ? shape.block : 0);
    const int64_t packed_row = packed_right + (pieces & right ? shape.ghost : 0);
    const int64_t dst_middle = move == Move::pack ? packed_middle : at_middle, dst_right = move == Move::pack ? packed_right : at_right;
    const int64_t src_middle = move == Move::unpack ? packed_middle : at_middle, src_right = move == Move::unpack ? packed_right : at_right;
    double *const dst = job.dst;
    const double *const from_left = job.src[0], *const from_middle = job.src[1], *const from_right = job.src[2];
    int64_t packed = 0;
    for (int c = sizes.first_component; c < sizes.end_component; ++c)
        for (int k = 0; k < nz; ++k)
            for (int j = 0; j < ny; ++j) {
                const int64_t stored = ((c * row + k) * row + j) * row;
                const int64_t to = move == Move::pack ? packed : stored, from = move == Move::unpack ? packed : stored;
                if constexpr (pieces & left) shape.copy_ghost(dst + to, from_left + from);
                if constexpr (pieces & middle) shape.copy_block(dst + to + dst_middle, from_middle + from + src_middle);
                if constexpr (pieces & right) shape.copy_ghost(dst + to + dst_right, from_right + from + src_right);
                packed += packed_row;
            }
}

template <class Shape, Move move, int pieces, bool beside_y, bool beside_z>
void row_kernel(const RowJob &job, const RowSizes &sizes) {
    copy_rows<Shape, move, pieces, beside_y, beside_z>(job, sizes);
}

template <class Shape, Move move, int... which>
RowKernel pick(int index, std::integer_sequence<int, which...>) {
    static constexpr RowKernel kernels[] = { row_kernel<Shape, move, which / 4, (which & 1) != 0, (which & 2) != 0>... };
    return kernels[index];
}

template <class Shape>
RowKernel kernel_of_shape(Move move, int pieces, bool beside_y, bool beside_z) {
    const int index = pieces * 4 + beside_y + 2 * beside_z;
    constexpr std::make_integer_sequence<int, 32> all;
    switch (move) {
    case Move::direct: return pick<Shape, Move::direct>(index, all);
    case Move::pack: return pick<Shape, Move::pack>(index, all);
    case Move::unpack: break;
    }
    return pick<Shape, Move::unpack>(index, all);
}

// A component of a small block, whose ghosts are most of it: faster than its lines one by one in the order of bundles.
template <class Shape>
[[gnu::always_inline]] inline void fetch_block(const double *block, const RowSizes &sizes) {
    constexpr int64_t most = 2048, line = 8; // values
    const Shape shape(sizes);
    const int64_t row = shape.block + 2 * shape.ghost, values = row * row * row;
    if (values > most) return;
    for (int c = sizes.first_component; c < sizes.end_component; ++c)
        for (int64_t i = 0; i < values; i += line) __builtin_prefetch(block + c * values + i, 1);
}

template <class Shape>
void copy_whole_blocks(const RowJob *jobs, int64_t n_blocks, const RowSizes &sizes) {
    constexpr int all = left + middle + right;
    for (int64_t i = 0; i < n_blocks; ++i, jobs += 9) {
        fetch_block<Shape>(jobs[0].dst, sizes);
        copy_rows<Shape, Move::direct, all, false, false>(jobs[0], sizes);
        copy_rows<Shape, Move::direct, all, true, false>(jobs[1], sizes);
        copy_rows<Shape, Move::direct, all, false, false>(jobs[2], sizes);
        copy_rows<Shape, Move::direct, all, false, true>(jobs[3], sizes);
        copy_rows<Shape, Move::direct, left + right, true, true>(jobs[4], sizes);
        copy_rows<Shape, Move::direct, all, false, true>(jobs[5], sizes);
        copy_rows<Shape, Move::direct, all, false, false>(jobs[6], sizes);
        copy_rows<Shape, Move::direct, all, true, false>(jobs[7], sizes);
        copy_rows<Shape, Move::direct, all, false, false>(jobs[8], sizes);
    }
}

// Calls `visit` with a Shape for the sizes.
template <class Visit>
auto with_shape(const RowSizes &sizes, Visit &&visit) {
    if (sizes.block == 8 && sizes.ghost == 1) return visit(static_cast<Fixed<8, 1> *>(nullptr));
    if (sizes.block == 8 && sizes.ghost == 2) return visit(static_cast<Fixed<8, 2> *>(nullptr));
    if (sizes.block == 16 && sizes.ghost == 2) return visit(static_cast<Fixed<16, 2> *>(nullptr));
    if (sizes.block == 32 && sizes.ghost == 2) return visit(static_cast<Fixed<32, 2> *>(nullptr));
    return visit(static_cast<Any *>(nullptr));
}

RowKernel kernel(const RowSizes &sizes, Move move, int pieces, bool beside_y, bool beside_z) {
    return with_shape(sizes, [&]<class Shape>(Shape *) { return kernel_of_shape<Shape>(move, pieces, beside_y, beside_z); });
}

auto whole_blocks(const RowSizes &sizes) -> void (*)(const RowJob *, int64_t, const RowSizes &) {
    return with_shape(sizes, []<class Shape>(Shape *) { return &copy_whole_blocks<Shape>; });
}

void flat_copy(double *dst, const double *src, int64_t n) {
    constexpr int64_t step = 32;
    int64_t i = 0;
    for (; i + step <= n; i += step) copy_values<step>(dst + i, src + i);
    for (; i < n; ++i) dst[i] = src[i];
}

} // namespace

extern const KernelSet BENCH_KERNELS;
const KernelSet BENCH_KERNELS = { BENCH_KERNELS_NAME, kernel, whole_blocks, flat_copy };

} // namespace bench
