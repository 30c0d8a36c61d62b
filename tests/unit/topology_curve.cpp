// SPDX-License-Identifier: BSD-3-Clause
// The Morton curve through small grids, against the order of interleaved bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "topology/curve.h"

namespace halo {

namespace {

// Bit by bit.
uint64_t interleaved(const Extent &at) {
    uint64_t code = 0;
    for (int bit = 0; bit < 21; ++bit)
        for (int d = 0; d < 3; ++d) code |= (static_cast<uint64_t>(at[d]) >> bit & 1) << (3 * bit + d);
    return code;
}

void expect_order(const Extent &extents) {
    std::vector<Extent> cells;
    for (int64_t z = 0; z < extents[2]; ++z)
        for (int64_t y = 0; y < extents[1]; ++y)
            for (int64_t x = 0; x < extents[0]; ++x) cells.push_back({ x, y, z });
    std::sort(cells.begin(), cells.end(), [](const Extent &a, const Extent &b) { return interleaved(a) < interleaved(b); });
    for (int64_t place = 0; place < std::ssize(cells); ++place) {
        EXPECT_EQ(morton_place(cells[static_cast<size_t>(place)], extents), place);
        EXPECT_EQ(morton_coordinates(place, extents), cells[static_cast<size_t>(place)]);
    }
}

TEST(MortonCurve, GoesThroughGridsInTheOrderOfInterleavedBits) {
    for (const int64_t x : { 1, 2, 3, 5, 8 })
        for (const int64_t y : { 1, 2, 4, 7 })
            for (const int64_t z : { 1, 3, 4, 9 }) expect_order({ x, y, z });
}

TEST(MortonCurve, CodesHaveTheLowestBitsOfEachCoordinate) {
    for (const Extent &at :
         { Extent{ 0, 0, 0 }, Extent{ 1, 0, 0 }, Extent{ 0, 1, 0 }, Extent{ 5, 77, 1234567 }, Extent{ 2097151, 2097151, 2097151 } })
        EXPECT_EQ(morton_code(at), interleaved(at));
    EXPECT_EQ(morton_code({ int64_t{ 1 } << 21, 3, 0 }), morton_code({ 0, 3, 0 }));
}

} // namespace

} // namespace halo
