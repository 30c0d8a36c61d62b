// SPDX-License-Identifier: BSD-3-Clause
// Facts about halo_type and halo_op.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "halo.h"

namespace halo {

// Bytes of one element; 0 for HALO_BYTES and for numbers that are no type.
size_t type_bytes(halo_type type) noexcept;
const char *type_name(halo_type type) noexcept;
bool type_known(halo_type type) noexcept;
const char *op_name(halo_op op) noexcept;

// Bytes of an element of `type`, where HALO_BYTES takes `element_bytes`. Fails on unknown types and bad sizes, naming `what`.
int64_t element_size(halo_type type, int64_t element_bytes, const char *what);

// visit(T{}) with the C++ type of a halo_type. False: it has none.
template <class Visit>
bool with_type(halo_type type, Visit &&visit) {
    switch (type) {
    case HALO_FLOAT32: return visit(float{}), true;
    case HALO_FLOAT64: return visit(double{}), true;
    case HALO_INT32: return visit(int32_t{}), true;
    case HALO_INT64: return visit(int64_t{}), true;
    case HALO_COMPLEX64: return visit(std::complex<float>{}), true;
    case HALO_COMPLEX128: return visit(std::complex<double>{}), true;
    case HALO_INT8: return visit(int8_t{}), true;
    case HALO_INT16: return visit(int16_t{}), true;
    case HALO_UINT8: return visit(uint8_t{}), true;
    case HALO_UINT16: return visit(uint16_t{}), true;
    case HALO_UINT32: return visit(uint32_t{}), true;
    case HALO_UINT64: return visit(uint64_t{}), true;
    default: return false;
    }
}

// Can values of this type be combined by this operation?
bool combines(halo_type type, halo_op op) noexcept;
// Fails where they cannot be; `what` begins the text.
void check_combines(halo_type type, halo_op op, const char *what);

bool is_half(halo_type type) noexcept;
// Do negative values differ from positive ones?
bool has_sign(halo_type type) noexcept;

// The nearest HALO_FLOAT16 or HALO_BFLOAT16, of two the even one; beyond the largest, infinity.
uint16_t half_bits(halo_type type, double value) noexcept;

} // namespace halo
