// SPDX-License-Identifier: BSD-3-Clause
#include "base/items.h"

#include "base/checked.h"
#include "base/limits.h"

namespace halo {

bool all_zero(const void *bytes, size_t n) {
    const char *const first = static_cast<const char *>(bytes);
    return std::all_of(first, first + n, [](char c) { return c == 0; });
}

void check_item(const void *item, size_t bytes, int64_t i, const FirstVersion &first, size_t known_bytes) {
    const auto number = static_cast<long long>(i);
    if (bytes > known_bytes) check_bytes_limit(format("%s: its size", first.name).c_str(), bytes, limits::struct_bytes);
    if (bytes < first.bytes) fail(HALO_ERR_VERSION, "%s %lld has %zu bytes, the smallest known is %zu", first.name, number, bytes, first.bytes);
    if (bytes > known_bytes && !all_zero(static_cast<const char *>(item) + known_bytes, bytes - known_bytes))
        fail(HALO_ERR_VERSION, "%s %lld has %zu bytes, of which this library knows %zu, and the rest is not zero", first.name, number, bytes,
             known_bytes);
}

} // namespace halo
