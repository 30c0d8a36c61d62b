// SPDX-License-Identifier: BSD-3-Clause
#include "base/types.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"

namespace halo {

size_t type_bytes(halo_type type) noexcept {
    switch (type) {
    case HALO_INT8:
    case HALO_UINT8: return 1;
    case HALO_INT16:
    case HALO_UINT16:
    case HALO_FLOAT16:
    case HALO_BFLOAT16: return 2;
    case HALO_FLOAT32:
    case HALO_INT32:
    case HALO_UINT32: return 4;
    case HALO_FLOAT64:
    case HALO_INT64:
    case HALO_UINT64:
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
    case HALO_INT8: return "int8";
    case HALO_INT16: return "int16";
    case HALO_UINT8: return "uint8";
    case HALO_UINT16: return "uint16";
    case HALO_UINT32: return "uint32";
    case HALO_UINT64: return "uint64";
    case HALO_FLOAT16: return "float16";
    case HALO_BFLOAT16: return "bfloat16";
    default: return "unknown type";
    }
}

const char *op_name(halo_op op) noexcept {
    static constexpr const char *names[] = { "no operation", "sum",        "min",         "max", "product", "the program's function",
                                             "logical and",  "logical or", "logical xor", "and", "or",      "xor",
                                             "minloc",       "maxloc" };
    return op >= 0 && op < static_cast<halo_op>(std::size(names)) ? names[op] : "unknown operation";
}

bool type_known(halo_type type) noexcept { return type >= HALO_FLOAT32 && type <= HALO_BFLOAT16; }

int64_t element_size(halo_type type, int64_t element_bytes, const char *what) {
    if (!type_known(type)) fail(HALO_ERR_ARGUMENT, "%s: %d is not a type", what, type);
    if (type != HALO_BYTES) return static_cast<int64_t>(type_bytes(type));
    if (element_bytes < 1)
        fail(HALO_ERR_ARGUMENT, "%s: element_bytes is %lld; HALO_BYTES wants 1 or more", what, static_cast<long long>(element_bytes));
    check_limit(format("%s: element_bytes", what).c_str(), element_bytes, limits::element_bytes);
    return element_bytes;
}

bool is_half(halo_type type) noexcept { return type == HALO_FLOAT16 || type == HALO_BFLOAT16; }

bool has_sign(halo_type type) noexcept { return type_known(type) && type != HALO_BYTES && (type < HALO_UINT8 || type > HALO_UINT64); }

bool combines(halo_type type, halo_op op) noexcept {
    const bool complex = type == HALO_COMPLEX64 || type == HALO_COMPLEX128;
    const bool integer = type == HALO_INT32 || type == HALO_INT64 || (type >= HALO_INT8 && type <= HALO_UINT64);
    if (!type_known(type) || type == HALO_BYTES || is_half(type)) return false;
    if (op == HALO_SUM || op == HALO_PROD) return true;
    if (op >= HALO_BAND && op <= HALO_BXOR) return integer;
    return !complex && (op == HALO_MIN || op == HALO_MAX || (op >= HALO_LAND && op <= HALO_LXOR));
}

void check_combines(halo_type type, halo_op op, const char *what) {
    if (combines(type, op)) return;
    if (is_half(type)) fail(HALO_ERR_ARGUMENT, "%s: values of %s can only be moved, no operation combines them", what, type_name(type));
    fail(HALO_ERR_ARGUMENT, "%s: values of %s cannot be combined by operation %d", what, type_name(type), op);
}

uint16_t half_bits(halo_type type, double value) noexcept {
    const int fraction = type == HALO_FLOAT16 ? 10 : 7, bias = type == HALO_FLOAT16 ? 15 : 127;
    const int64_t infinity = int64_t{ 0x7fff } >> fraction << fraction, sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value)) return static_cast<uint16_t>(sign | infinity | int64_t{ 1 } << (fraction - 1));
    if (std::isinf(value)) return static_cast<uint16_t>(sign | infinity);
    const double size = std::abs(value);
    const int exponent = std::max(size == 0 ? -bias : std::ilogb(size), 1 - bias); // subnormal ones have the smallest
    const auto steps = static_cast<int64_t>(std::nearbyint(std::ldexp(size, fraction - exponent)));
    return static_cast<uint16_t>(sign | std::min((int64_t{ exponent } + bias - 1) * (int64_t{ 1 } << fraction) + steps, infinity));
}

} // namespace halo
