// SPDX-License-Identifier: BSD-3-Clause
// Lists as out-parameters: the caller's array, its capacity, the full length.
#pragma once

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "capi/guard.h"

namespace halo {

// Capacity 0 asks for the length alone. HALO_ERR_LIMIT: the array is too small; nothing but `n` is written then.
template <class T>
void write_list(const std::vector<T> &list, T *array, int64_t capacity, int64_t *n, const char *name) {
    require(n, "n");
    *n = std::ssize(list);
    if (capacity == 0) return;
    require(array, name);
    if (capacity < std::ssize(list))
        fail(HALO_ERR_LIMIT, "%s: the array has room for %lld, there are %lld", name, static_cast<long long>(capacity), static_cast<long long>(*n));
    std::copy(list.begin(), list.end(), array);
}

} // namespace halo
