// SPDX-License-Identifier: BSD-3-Clause
// Arrays of values combined by a halo_op, as devices combine them (src/backends/device).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "halo.h"

namespace halo {

// into[i] = into[i] op from[i]
void combine(void *into, const void *from, int64_t n, halo_type type, halo_op op);

// The same by HALO_MINLOC or HALO_MAXLOC of values and their indices (int64_t): of equals, and of NaNs, the one with the lower index stays.
void combine_located(void *values, void *indices, const void *more, const void *more_indices, int64_t n, halo_type type, halo_op op);

// Values at equal distances; with a list, those it names.
struct ValuesAt {
    std::byte *first;
    int64_t step;                   // bytes
    const uint32_t *list = nullptr; // by number of the value

    std::byte *operator[](int64_t i) const { return first + (list ? list[i] : i) * step; }
};

// One after the other: value = value op contribution, and the contribution becomes what the value was. Values may come several times, contributions
// not.
void fetch_and_combine(const ValuesAt &values, const ValuesAt &contributions, int64_t n, halo_type type, halo_op op);

// Values that belong together: those in `list` up to ends[g] are of group g. Of these the first giving[g], all without `giving`, are combined.
struct ValueGroups {
    std::span<const uint32_t> ends;
    std::span<const uint32_t> giving;
    std::span<const uint32_t> list;
};

// results[g] = the values of group g that give, combined one after the other; where none does, the first.
void combine_groups(const ValuesAt &values, const ValueGroups &groups, void *results, halo_type type, halo_op op);
// Each value of group g = results[g].
void spread_to_groups(const void *results, const ValueGroups &groups, const ValuesAt &values, halo_type type);

} // namespace halo
