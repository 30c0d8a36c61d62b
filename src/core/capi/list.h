// SPDX-License-Identifier: BSD-3-Clause
// Lists and texts as out-parameters: the caller's array, its capacity, the full length.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "base/checked.h"
#include "base/limits.h"
#include "capi/guard.h"

namespace halo {

// Is a list of `size` to be written? Capacity 0 asks for the length alone. HALO_ERR_LIMIT: the array is too small; nothing but `n` is written then.
inline bool takes_list(int64_t size, const void *array, int64_t capacity, int64_t *n, const char *name) {
    require(n, "n");
    if (capacity < 0) fail(HALO_ERR_ARGUMENT, "%s: an array with room for %lld", name, static_cast<long long>(capacity));
    *n = size;
    if (capacity == 0) return false;
    require(array, name);
    if (capacity < size)
        fail(HALO_ERR_LIMIT, "%s: the array has room for %lld, there are %lld", name, static_cast<long long>(capacity), static_cast<long long>(*n));
    return true;
}

template <class T>
void write_list(const std::vector<T> &list, T *array, int64_t capacity, int64_t *n, const char *name) {
    if (takes_list(std::ssize(list), array, capacity, n, name)) std::copy(list.begin(), list.end(), array);
}

// HALO_ERR_VERSION, HALO_ERR_LIMIT.
template <Growing T>
void check_row_bytes(size_t row_bytes) {
    constexpr FirstVersion first = first_version<T>;
    if (row_bytes < first.bytes) fail(HALO_ERR_VERSION, "%s: row_bytes is %zu, the smallest known is %zu", first.name, row_bytes, first.bytes);
    if (row_bytes > sizeof(T)) check_bytes_limit(format("%s: row_bytes", first.name).c_str(), row_bytes, limits::struct_bytes);
}

// As write_list, of structs that may grow, `row_bytes` each at the caller's: what he has more is zeroed.
template <Growing T>
void write_rows(const std::vector<T> &list, size_t row_bytes, T *array, int64_t capacity, int64_t *n, const char *name) {
    check_row_bytes<T>(row_bytes);
    if (!takes_list(std::ssize(list), array, capacity, n, name)) return;
    const size_t known = std::min(row_bytes, sizeof(T));
    char *row = reinterpret_cast<char *>(array);
    for (const T &one : list) {
        std::memcpy(row, &one, known);
        std::memset(row + known, 0, row_bytes - known);
        row += row_bytes;
    }
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
