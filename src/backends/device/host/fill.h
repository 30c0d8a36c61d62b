// SPDX-License-Identifier: BSD-3-Clause
// Copies of one value.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace halo::host {

// Writes the value once, then doubles what is there. `element_bytes` 1..16.
inline void fill(char *dst, const void *value, size_t element_bytes, int64_t n) {
    constexpr size_t largest_step = 4096; // stays in the first cache
    const size_t total = element_bytes * static_cast<size_t>(n);
    if (total == 0) return;
    std::memcpy(dst, value, element_bytes);
    for (size_t done = element_bytes, step = element_bytes; done < total; done += step) {
        if (2 * step <= largest_step && step < done) step = 2 * step;
        step = std::min(step, total - done);
        std::memcpy(dst + done, dst, step);
    }
}

} // namespace halo::host
