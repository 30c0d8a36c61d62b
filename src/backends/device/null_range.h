// SPDX-License-Identifier: BSD-3-Clause
// What is null under a threshold, for comparisons without a function: |v| < threshold becomes low <= v <= high.
#pragma once

#include <cstdint>

#include "halo_plugin.h"

namespace halo::device {

// Integers within [low, high] are null, those of types without a sign read as such. Of HALO_FLOAT16 and HALO_BFLOAT16 it is their bits but for the
// sign that are. Other numbers with a fraction are null within [-bound, bound].
struct NullRange {
    int64_t low;
    int64_t high;
    double bound;
    float bound32;
};

NullRange null_range(const halo_null_test &test);

} // namespace halo::device
