// SPDX-License-Identifier: BSD-3-Clause
#include "accumulate.h"

#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "../value.h"
#include "listed.h"

namespace halo::host {

namespace {

using device::load;
using device::store;

template <class T>
struct Complex {
    T real, imaginary;
};

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

struct Sum {
    template <class T>
    static T of(T a, T b) {
        if constexpr (std::integral<T>)
            return static_cast<T>(static_cast<Bits<T>>(a) + static_cast<Bits<T>>(b));
        else
            return a + b;
    }
    template <class T>
    static Complex<T> of(Complex<T> a, Complex<T> b) {
        return { a.real + b.real, a.imaginary + b.imaginary };
    }
};

struct Product {
    template <class T>
    static T of(T a, T b) {
        if constexpr (std::integral<T>)
            return static_cast<T>(static_cast<Bits<T>>(a) * static_cast<Bits<T>>(b));
        else
            return a * b;
    }
    template <class T>
    static Complex<T> of(Complex<T> a, Complex<T> b) {
        return { a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real };
    }
};

// Equal numbers differ at most in the sign of zero: the minimum has it set, the maximum clear.
template <bool minimum>
struct Extreme {
    template <class T>
    static T of(T a, T b) {
        if constexpr (std::integral<T>) {
            return (a < b) == minimum ? a : b;
        } else {
            if (a < b) return minimum ? a : b;
            if (b < a) return minimum ? b : a;
            if (a != a) return a;
            if (b != b) return b;
            const auto left = std::bit_cast<Bits<T>>(a), right = std::bit_cast<Bits<T>>(b);
            return std::bit_cast<T>(minimum ? left | right : left & right);
        }
    }
};

template <int32_t op>
struct Logical {
    template <class T>
    static T of(T a, T b) {
        const bool left = a != T{}, right = b != T{};
        return static_cast<T>(op == HALO_LAND ? left && right : op == HALO_LOR ? left || right : left != right);
    }
};

template <int32_t op>
struct Bitwise {
    template <class T>
    static T of(T a, T b) {
        return static_cast<T>(op == HALO_BAND ? a & b : op == HALO_BOR ? a | b : a ^ b);
    }
};

template <class T, class Op>
void combine_run(char *to, int64_t dst_step, const char *from, int64_t src_step, int64_t n, int64_t values) {
    for (int64_t i = 0; i < n; ++i, to += dst_step, from += src_step)
        for (int64_t v = 0; v < values; ++v) {
            const int64_t at = v * static_cast<int64_t>(sizeof(T));
            store<T>(to + at, Op::of(load<T>(to + at), load<T>(from + at)));
        }
}

// Into listed points, from a message, whose points follow each other, or (both) from listed ones.
template <class T, class Op, int values, bool both>
void combine_into_listed(const Points &given, int64_t n, int64_t) {
    const Points points = given; // no store can change it
    const auto target = [&points](int64_t i) { return points.dst + int64_t{ points.dst_list[i] } * points.dst_step; };
    const auto origin = [&points](int64_t i) { return points.src + (both ? int64_t{ points.src_list[i] } : i) * points.src_step; };
    const int64_t watched = std::max<int64_t>(n - list_lookahead, 0);
    int64_t i = 0;
    for (; i < watched; ++i) {
        __builtin_prefetch(target(i + list_lookahead), 1);
        if (both) __builtin_prefetch(origin(i + list_lookahead));
        combine_run<T, Op>(target(i), 0, origin(i), 0, 1, values);
    }
    for (; i < n; ++i) combine_run<T, Op>(target(i), 0, origin(i), 0, 1, values);
}

template <class T, class Op>
void combine_points(const Points &points, int64_t n, int64_t values) {
    for (int64_t i = 0; i < n; ++i) combine_run<T, Op>(points.target(i), 0, points.origin(i), 0, 1, values);
}

// Points of a list are combined in its order: it may name one several times.
template <class T, class Op>
void combine_listed(const halo_copy_shape &shape, const Row &row, void *const *bases, const uint32_t *indices) {
    const int64_t values = shape.element_bytes / static_cast<int64_t>(sizeof(T));
    const bool into = (shape.lists & HALO_LIST_DESTINATION) != 0, both = into && (shape.lists & HALO_LIST_SOURCE) != 0;
    auto combine = combine_points<T, Op>;
    if (into && values == 1) combine = both ? combine_into_listed<T, Op, 1, true> : combine_into_listed<T, Op, 1, false>;
    if (into && values == 4) combine = both ? combine_into_listed<T, Op, 4, true> : combine_into_listed<T, Op, 4, false>;
    for_each_line(shape, row, bases, indices, [&](const Points &points, int64_t n) { combine(points, n, values); });
}

template <class T, class Op>
void combine_row(const halo_copy_shape &shape, const Row &row, void *const *bases, const uint32_t *indices) {
    if (shape.lists != 0) return combine_listed<T, Op>(shape, row, bases, indices);
    const auto size = static_cast<int64_t>(sizeof(T));
    const int64_t values = shape.element_bytes / size;
    char *const dst = static_cast<char *>(bases[row.dst_base]) + row.dst_offset;
    for (int64_t c = 0; c < shape.n[2]; ++c)
        for (int64_t z = 0; z < shape.n[1]; ++z)
            for (int64_t y = 0; y < shape.n[0]; ++y)
                for (uint32_t p = 0; p < shape.n_pieces; ++p) {
                    const int64_t *stride = shape.src_stride[p];
                    char *to = dst + shape.dst_shift[p] + c * shape.dst_stride[2] + z * shape.dst_stride[1] + y * shape.dst_stride[0];
                    const char *from =
                        static_cast<const char *>(bases[row.src_base[p]]) + row.src_offset[p] + c * stride[2] + z * stride[1] + y * stride[0];
                    if (shape.dst_step == shape.element_bytes && shape.src_step[p] == shape.element_bytes)
                        combine_run<T, Op>(to, size, from, size, shape.run[p] * values, 1);
                    else
                        combine_run<T, Op>(to, shape.dst_step, from, shape.src_step[p], shape.run[p], values);
                }
}

template <class T>
Accumulate of_number(int32_t op) {
    switch (op) {
    case HALO_SUM: return combine_row<T, Sum>;
    case HALO_PROD: return combine_row<T, Product>;
    case HALO_MIN: return combine_row<T, Extreme<true>>;
    case HALO_MAX: return combine_row<T, Extreme<false>>;
    case HALO_LAND: return combine_row<T, Logical<HALO_LAND>>;
    case HALO_LOR: return combine_row<T, Logical<HALO_LOR>>;
    case HALO_LXOR: return combine_row<T, Logical<HALO_LXOR>>;
    default: return nullptr;
    }
}

template <class T>
Accumulate of_integer(int32_t op) {
    switch (op) {
    case HALO_BAND: return combine_row<T, Bitwise<HALO_BAND>>;
    case HALO_BOR: return combine_row<T, Bitwise<HALO_BOR>>;
    case HALO_BXOR: return combine_row<T, Bitwise<HALO_BXOR>>;
    default: return of_number<T>(op);
    }
}

template <class T>
Accumulate of_complex(int32_t op) {
    switch (op) {
    case HALO_SUM: return combine_row<Complex<T>, Sum>;
    case HALO_PROD: return combine_row<Complex<T>, Product>;
    default: return nullptr;
    }
}

} // namespace

Accumulate accumulate_of(int32_t op, halo_type type) {
    switch (type) {
    case HALO_FLOAT32: return of_number<float>(op);
    case HALO_FLOAT64: return of_number<double>(op);
    case HALO_INT32: return of_integer<int32_t>(op);
    case HALO_INT64: return of_integer<int64_t>(op);
    case HALO_INT8: return of_integer<int8_t>(op);
    case HALO_INT16: return of_integer<int16_t>(op);
    case HALO_UINT8: return of_integer<uint8_t>(op);
    case HALO_UINT16: return of_integer<uint16_t>(op);
    case HALO_UINT32: return of_integer<uint32_t>(op);
    case HALO_UINT64: return of_integer<uint64_t>(op);
    case HALO_COMPLEX64: return of_complex<float>(op);
    case HALO_COMPLEX128: return of_complex<double>(op);
    default: return nullptr;
    }
}

} // namespace halo::host
