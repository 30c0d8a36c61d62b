// SPDX-License-Identifier: BSD-3-Clause
// Arrays of values combined by a halo_op, as devices combine them (src/backends/device).
#pragma once

#include <cstddef>
#include <cstdint>

#include "halo.h"

namespace halo {

// into[i] = into[i] op from[i]
void combine(void *into, const void *from, int64_t n, halo_type type, halo_op op);

// Values at equal distances; with a list, those it names.
struct ValuesAt {
    std::byte *first;
    int64_t step;                   // bytes
    const uint32_t *list = nullptr; // by number of the value

    std::byte *operator[](int64_t i) const { return first + (list ? list[i] : i) * step; }
};

// value = value op contribution, and the contribution becomes what the value was: for each value once, ...
void fetch_and_combine(const ValuesAt &values, std::byte *contributions, int64_t n, halo_type type, halo_op op);
// ... or one after the other for its contributions, of which those of value i are [first[i], first[i + 1]).
void fetch_and_combine(const ValuesAt &values, std::byte *contributions, const uint32_t *first, int64_t n, halo_type type, halo_op op);

} // namespace halo
