// SPDX-License-Identifier: BSD-3-Clause
// What is null under a threshold, for comparisons without a function: |v| < threshold becomes low <= v <= high.
#pragma once

#include <cstdint>

namespace halo::device {

// Values within [low, high] are null; of numbers with a fraction, those within [-bound, bound].
struct NullRange {
    int64_t low;
    int64_t high;
    double bound;
    float bound32;
};

NullRange null_range(double threshold);

} // namespace halo::device
