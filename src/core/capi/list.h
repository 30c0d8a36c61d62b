// SPDX-License-Identifier: BSD-3-Clause
// Lists and texts as out-parameters: the caller's array, its capacity, the full length.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "capi/guard.h"

namespace halo {

// Capacity 0 asks for the length alone. HALO_ERR_LIMIT: the array is too small; nothing but `n` is written then.
template <class T>
void write_list(const std::vector<T> &list, T *array, int64_t capacity, int64_t *n, const char *name) {
    require(n, "n");
    if (capacity < 0) fail(HALO_ERR_ARGUMENT, "%s: an array with room for %lld", name, static_cast<long long>(capacity));
    *n = std::ssize(list);
    if (capacity == 0) return;
    require(array, name);
    if (capacity < std::ssize(list))
        fail(HALO_ERR_LIMIT, "%s: the array has room for %lld, there are %lld", name, static_cast<long long>(capacity), static_cast<long long>(*n));
    std::copy(list.begin(), list.end(), array);
}

// As much of it as fits, with a final zero.
inline void write_text(const std::string &whole, char *text, size_t capacity, size_t *needed_bytes) {
    if (capacity > 0) {
        require(text, "text");
        const size_t n = std::min(whole.size(), capacity - 1);
        std::memcpy(text, whole.data(), n);
        text[n] = '\0';
    }
    if (needed_bytes) *needed_bytes = whole.size() + 1;
}

} // namespace halo
