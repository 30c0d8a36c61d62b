// SPDX-License-Identifier: BSD-3-Clause
#include "base/types.h"

#include <cmath>
#include <complex>
#include <concepts>
#include <type_traits>

#include "base/error.h"

namespace halo {

size_t type_bytes(halo_type type) noexcept {
    switch (type) {
    case HALO_FLOAT32:
    case HALO_INT32: return 4;
    case HALO_FLOAT64:
    case HALO_INT64:
    case HALO_COMPLEX64: return 8;
    case HALO_COMPLEX128: return 16;
    default: return 0;
    }
}

const char *type_name(halo_type type) noexcept {
    switch (type) {
    case HALO_FLOAT32: return "float32";
    case HALO_FLOAT64: return "float64";
    case HALO_INT32: return "int32";
    case HALO_INT64: return "int64";
    case HALO_COMPLEX64: return "complex64";
    case HALO_COMPLEX128: return "complex128";
    case HALO_BYTES: return "bytes";
    default: return "unknown type";
    }
}

bool type_known(halo_type type) noexcept { return type >= HALO_FLOAT32 && type <= HALO_BYTES; }

int64_t element_size(halo_type type, int64_t element_bytes, const char *what) {
    if (!type_known(type)) fail(HALO_ERR_ARGUMENT, "%s: %d is not a type", what, type);
    if (type != HALO_BYTES) return static_cast<int64_t>(type_bytes(type));
    if (element_bytes < 1 || element_bytes > INT32_MAX)
        fail(HALO_ERR_ARGUMENT, "%s: element_bytes is %lld; HALO_BYTES wants 1 to %d", what, static_cast<long long>(element_bytes), INT32_MAX);
    return element_bytes;
}

bool combines(halo_type type, halo_op op) noexcept {
    const bool complex = type == HALO_COMPLEX64 || type == HALO_COMPLEX128;
    if (!type_known(type) || type == HALO_BYTES) return false;
    if (op == HALO_SUM || op == HALO_PROD) return true;
    if (op >= HALO_BAND && op <= HALO_BXOR) return type == HALO_INT32 || type == HALO_INT64;
    return !complex && (op == HALO_MIN || op == HALO_MAX || (op >= HALO_LAND && op <= HALO_LXOR));
}

namespace {

// NaN wins; of equal numbers the minimum is the one with the sign set, the maximum the other. As devices combine (src/backends/device).
template <class T>
T extreme(T a, T b, bool minimum) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
        if (a == b) return std::signbit(a) == minimum ? a : b;
    }
    return (a < b) == minimum ? a : b;
}

template <class T>
T logical(T a, T b, halo_op op) {
    if constexpr (std::is_integral_v<T>) {
        if (op == HALO_BAND) return a & b;
        if (op == HALO_BOR) return a | b;
        if (op == HALO_BXOR) return a ^ b;
    }
    const bool left = a != T{}, right = b != T{};
    return static_cast<T>(op == HALO_LAND ? left && right : op == HALO_LOR ? left || right : left != right);
}

// Sums and products of integers wrap around.
template <class T>
struct Wrapping {
    using type = T;
};
template <std::integral T>
struct Wrapping<T> {
    using type = std::make_unsigned_t<T>;
};

template <class T>
void combine_values(void *into_bytes, const void *from_bytes, int64_t n, halo_op op) {
    using Wide = typename Wrapping<T>::type;
    T *into = static_cast<T *>(into_bytes);
    const T *from = static_cast<const T *>(from_bytes);
    if (op == HALO_SUM)
        for (int64_t i = 0; i < n; ++i) into[i] = static_cast<T>(static_cast<Wide>(into[i]) + static_cast<Wide>(from[i]));
    else if (op == HALO_PROD)
        for (int64_t i = 0; i < n; ++i) into[i] = static_cast<T>(static_cast<Wide>(into[i]) * static_cast<Wide>(from[i]));
    else if constexpr (!std::is_same_v<T, std::complex<float>> && !std::is_same_v<T, std::complex<double>>)
        for (int64_t i = 0; i < n; ++i)
            into[i] = op == HALO_MIN || op == HALO_MAX ? extreme(into[i], from[i], op == HALO_MIN) : logical(into[i], from[i], op);
}

} // namespace

void combine(void *into, const void *from, int64_t n, halo_type type, halo_op op) {
    switch (type) {
    case HALO_FLOAT32: return combine_values<float>(into, from, n, op);
    case HALO_FLOAT64: return combine_values<double>(into, from, n, op);
    case HALO_INT32: return combine_values<int32_t>(into, from, n, op);
    case HALO_INT64: return combine_values<int64_t>(into, from, n, op);
    case HALO_COMPLEX64: return combine_values<std::complex<float>>(into, from, n, op);
    case HALO_COMPLEX128: return combine_values<std::complex<double>>(into, from, n, op);
    default: fail(HALO_ERR_INTERNAL, "values of %s cannot be combined", type_name(type));
    }
}

} // namespace halo
