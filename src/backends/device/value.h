// SPDX-License-Identifier: BSD-3-Clause
// Values at any address (message slots are packed without gaps) and the bytes of a type.
#pragma once

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
    case HALO_BYTES: return 1;
    case HALO_FLOAT32:
    case HALO_INT32: return 4;
    case HALO_FLOAT64:
    case HALO_INT64:
    case HALO_COMPLEX64: return 8;
    case HALO_COMPLEX128: return 16;
    default: return 0;
    }
}

} // namespace halo::device
