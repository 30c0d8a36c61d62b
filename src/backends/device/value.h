// SPDX-License-Identifier: BSD-3-Clause
// Values at any address (message slots are packed without gaps) and the bytes of a type.
#pragma once

#include <cstdint>
#include <cstring>

#include "halo.h"

namespace halo::device {

template <class T>
T load(const char *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

template <class T>
void store(char *to, T value) {
    std::memcpy(to, &value, sizeof value);
}

// 0: not a type. HALO_BYTES: 1.
inline size_t value_bytes(halo_type type) {
    switch (type) {
    case HALO_BYTES:
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

inline bool is_unsigned(halo_type type) { return type >= HALO_UINT8 && type <= HALO_UINT64; }

// What a device of this library says it knows: all there are.
inline constexpr uint64_t known_types = (uint64_t{ 2 } << HALO_BFLOAT16) - 2;

} // namespace halo::device
