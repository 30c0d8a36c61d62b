// SPDX-License-Identifier: BSD-3-Clause
// A caller's list of structs, whose size he tells: that of his version.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "base/first_version.h"

namespace halo {

bool all_zero(const void *bytes, size_t n);

// Item `i` of a caller's list of structs of `bytes` each: what they are longer must be zero, what they are shorter is as in the defaults.
// HALO_ERR_VERSION, HALO_ERR_LIMIT.
void check_item(const void *item, size_t bytes, int64_t i, const FirstVersion &first, size_t known_bytes);

template <Growing T>
T read_item(const T *list, size_t bytes, int64_t i, const T &defaults) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes == sizeof(T)) return list[i];
    const char *item = reinterpret_cast<const char *>(list) + static_cast<size_t>(i) * bytes;
    check_item(item, bytes, i, first_version<T>, sizeof(T));
    T value = defaults;
    std::memcpy(reinterpret_cast<char *>(&value), item, std::min(bytes, sizeof(T)));
    return value;
}

} // namespace halo
