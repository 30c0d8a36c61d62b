// SPDX-License-Identifier: BSD-3-Clause
#include "null_range.h"

#include <cmath>

namespace halo::device {

NullRange null_range(double threshold) {
    if (threshold == 0) return { 0, 0, 0.0, 0.0F };
    if (!(threshold > 0)) return { 1, 0, -1.0, -1.0F };
    NullRange range{};
    range.bound = std::nextafter(threshold, 0.0);
    range.bound32 = static_cast<float>(threshold);
    if (range.bound32 >= threshold) range.bound32 = std::nextafter(range.bound32, 0.0F);
    constexpr double limit = 9223372036854775808.0; // 2^63
    if (threshold > limit) return { INT64_MIN, INT64_MAX, range.bound, range.bound32 };
    range.high = threshold == limit ? INT64_MAX : static_cast<int64_t>(std::ceil(threshold)) - 1;
    range.low = -range.high;
    return range;
}

} // namespace halo::device
