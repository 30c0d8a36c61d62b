// SPDX-License-Identifier: BSD-3-Clause
#include "base/types.h"

#include <iterator>

#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"

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

const char *op_name(halo_op op) noexcept {
    static constexpr const char *names[] = { "no operation", "sum",        "min",         "max", "product", "the program's function",
                                             "logical and",  "logical or", "logical xor", "and", "or",      "xor",
                                             "minloc",       "maxloc" };
    return op >= 0 && op < static_cast<halo_op>(std::size(names)) ? names[op] : "unknown operation";
}

bool type_known(halo_type type) noexcept { return type >= HALO_FLOAT32 && type <= HALO_BYTES; }

int64_t element_size(halo_type type, int64_t element_bytes, const char *what) {
    if (!type_known(type)) fail(HALO_ERR_ARGUMENT, "%s: %d is not a type", what, type);
    if (type != HALO_BYTES) return static_cast<int64_t>(type_bytes(type));
    if (element_bytes < 1)
        fail(HALO_ERR_ARGUMENT, "%s: element_bytes is %lld; HALO_BYTES wants 1 or more", what, static_cast<long long>(element_bytes));
    check_limit(format("%s: element_bytes", what).c_str(), element_bytes, limits::element_bytes);
    return element_bytes;
}

bool combines(halo_type type, halo_op op) noexcept {
    const bool complex = type == HALO_COMPLEX64 || type == HALO_COMPLEX128;
    if (!type_known(type) || type == HALO_BYTES) return false;
    if (op == HALO_SUM || op == HALO_PROD) return true;
    if (op >= HALO_BAND && op <= HALO_BXOR) return type == HALO_INT32 || type == HALO_INT64;
    return !complex && (op == HALO_MIN || op == HALO_MAX || (op >= HALO_LAND && op <= HALO_LXOR));
}

} // namespace halo
