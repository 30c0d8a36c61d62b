// SPDX-License-Identifier: BSD-3-Clause
#include "null_test.h"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>

#include "../value.h"
#include "listed.h"

namespace halo::host {

namespace {

using device::load;

template <class T>
struct Range {
    T low, high;
    explicit Range(const NullRange &range) {
        if constexpr (std::same_as<T, float>) {
            high = range.bound32;
            low = -high;
        } else if constexpr (std::same_as<T, double>) {
            high = range.bound;
            low = -high;
        } else if constexpr (std::unsigned_integral<T>) {
            low = static_cast<T>(range.low);
            high = static_cast<T>(std::min<uint64_t>(static_cast<uint64_t>(range.high), std::numeric_limits<T>::max()));
        } else {
            low = static_cast<T>(std::max<int64_t>(range.low, std::numeric_limits<T>::min()));
            high = static_cast<T>(std::min<int64_t>(range.high, std::numeric_limits<T>::max()));
        }
    }
    // True for NaN.
    bool outside(T value) const { return !((value >= low) & (value <= high)); }
};

// HALO_FLOAT16 or HALO_BFLOAT16: the bits of sizes have the order of the values.
struct Half {
    uint16_t bits;
};
template <>
struct Range<Half> {
    int32_t low, high;
    explicit Range(const NullRange &range) : low(static_cast<int32_t>(range.low)), high(static_cast<int32_t>(range.high)) {}
    bool outside(Half value) const {
        const int32_t size = value.bits & 0x7fff;
        return !((size >= low) & (size <= high));
    }
};

// Blocks without a branch inside, so that they become vector code.
template <class T>
bool run_has_data(const char *from, int64_t n, Range<T> range) {
    constexpr int64_t block = 32;
    constexpr auto size = static_cast<int64_t>(sizeof(T));
    for (; n >= block; n -= block, from += block * size) {
        int found = 0;
        for (int64_t i = 0; i < block; ++i) found |= static_cast<int>(range.outside(load<T>(from + i * size)));
        if (found != 0) return true;
    }
    for (; n > 0; --n, from += size)
        if (range.outside(load<T>(from))) return true;
    return false;
}

template <class T>
bool line_has_data(const halo_copy_shape &shape, uint32_t piece, const char *from, const uint32_t *list, Range<T> range) {
    const int64_t values = shape.element_bytes / sizeof(T);
    if (list != nullptr) {
        for (int64_t i = 0; i < shape.run[piece]; ++i)
            if (run_has_data<T>(from + int64_t{ list[i] } * shape.src_step[piece], values, range)) return true;
        return false;
    }
    if (shape.src_step[piece] == shape.element_bytes) return run_has_data<T>(from, shape.run[piece] * values, range);
    for (int64_t i = 0; i < shape.run[piece]; ++i)
        if (run_has_data<T>(from + i * shape.src_step[piece], values, range)) return true;
    return false;
}

template <class T>
bool row_has_data(const halo_copy_shape &shape, const Row &row, void *const *bases, const uint32_t *indices, const NullRange &null_range) {
    const Range<T> range(null_range);
    const uint32_t *const list = list_of(shape, row, indices, 1);
    for (uint32_t p = 0; p < shape.n_pieces; ++p) {
        const char *src = static_cast<const char *>(bases[row.src_base[p]]) + row.src_offset[p];
        const int64_t *stride = shape.src_stride[p];
        for (int64_t c = 0; c < shape.n[2]; ++c)
            for (int64_t z = 0; z < shape.n[1]; ++z)
                for (int64_t y = 0; y < shape.n[0]; ++y)
                    if (line_has_data<T>(shape, p, src + c * stride[2] + z * stride[1] + y * stride[0], list, range)) return true;
    }
    return false;
}

} // namespace

NullTest null_test_of(halo_type type) {
    switch (type) {
    case HALO_FLOAT32:
    case HALO_COMPLEX64: return row_has_data<float>;
    case HALO_FLOAT64:
    case HALO_COMPLEX128: return row_has_data<double>;
    case HALO_INT32: return row_has_data<int32_t>;
    case HALO_INT64: return row_has_data<int64_t>;
    case HALO_INT8: return row_has_data<int8_t>;
    case HALO_INT16: return row_has_data<int16_t>;
    case HALO_BYTES:
    case HALO_UINT8: return row_has_data<uint8_t>;
    case HALO_UINT16: return row_has_data<uint16_t>;
    case HALO_UINT32: return row_has_data<uint32_t>;
    case HALO_UINT64: return row_has_data<uint64_t>;
    case HALO_FLOAT16:
    case HALO_BFLOAT16: return row_has_data<Half>;
    default: return nullptr;
    }
}

} // namespace halo::host
