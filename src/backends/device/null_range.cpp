// SPDX-License-Identifier: BSD-3-Clause
#include "null_range.h"

#include <algorithm>
#include <cmath>

#include "value.h"

namespace halo::device {

namespace {

// Bits of the largest number below a positive threshold.
int64_t largest_half(halo_type type, double threshold) {
    const int fraction = type == HALO_FLOAT16 ? 10 : 7, bias = type == HALO_FLOAT16 ? 15 : 127;
    const double below = std::nextafter(threshold, 0.0);
    if (below == 0) return 0;
    const int exponent = std::max(std::ilogb(below), 1 - bias); // subnormal ones have the smallest
    const auto steps = static_cast<int64_t>(std::ldexp(below, fraction - exponent));
    const int64_t infinity = int64_t{ 0x7fff } >> fraction << fraction;
    return std::min((int64_t{ exponent } + bias - 1) * (int64_t{ 1 } << fraction) + steps, infinity - 1);
}

uint64_t largest_unsigned(double threshold) { return threshold >= 0x1p64 ? UINT64_MAX : static_cast<uint64_t>(std::ceil(threshold)) - 1; }

} // namespace

NullRange null_range(const halo_null_test &test) {
    const double threshold = test.threshold;
    if (threshold == 0 || test.type == HALO_BYTES) return { 0, 0, 0.0, 0.0F }; // bytes have no size
    if (!(threshold > 0)) return { 1, 0, -1.0, -1.0F };
    NullRange range{};
    range.bound = std::nextafter(threshold, 0.0);
    range.bound32 = static_cast<float>(threshold);
    if (range.bound32 >= threshold) range.bound32 = std::nextafter(range.bound32, 0.0F);
    if (test.type == HALO_FLOAT16 || test.type == HALO_BFLOAT16) {
        range.high = largest_half(test.type, threshold);
    } else if (is_unsigned(test.type)) {
        range.high = static_cast<int64_t>(largest_unsigned(threshold));
    } else if (threshold > 0x1p63) {
        range.low = INT64_MIN;
        range.high = INT64_MAX;
    } else {
        range.high = threshold == 0x1p63 ? INT64_MAX : static_cast<int64_t>(std::ceil(threshold)) - 1;
        range.low = -range.high;
    }
    return range;
}

} // namespace halo::device
