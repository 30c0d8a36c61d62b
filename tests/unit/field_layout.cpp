// SPDX-License-Identifier: BSD-3-Clause
// Rules of layouts: no two values at one place, all inside, rows aligned, and no more padding than alignment needs.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "expect_failure.h"
#include "field/part_layout.h"

namespace halo {
namespace {

struct RuleCase {
    halo_layout_desc desc = HALO_LAYOUT_DESC_INIT;
    StorageShape shape;

    explicit RuleCase(std::mt19937_64 &random) {
        const auto pick = [&](int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); };
        std::shuffle(desc.order, desc.order + 5, random);
        desc.alignment = 1 << pick(0, 8);
        for (size_t d = 0; d < 3; ++d) {
            shape.points[d] = pick(0, 3) == 0 ? 1 : pick(1, 7);
            if (pick(0, 2) == 0) continue;
            shape.ghosts.low[d] = static_cast<int32_t>(pick(0, 3));
            shape.ghosts.high[d] = static_cast<int32_t>(pick(0, 3));
            desc.ghost_low[d] = static_cast<int32_t>(pick(0, 3));
            desc.ghost_high[d] = static_cast<int32_t>(pick(0, 3));
        }
        shape.n_components = pick(1, 4);
        shape.n_places = pick(1, 3);
        const int64_t sizes[] = { 1, 2, 4, 8, 12, 16, 24, 40, 64, 100 };
        shape.element_bytes = sizes[pick(0, 9)];
    }

    int64_t low(size_t d) const { return std::max(shape.ghosts.low[d], desc.ghost_low[d]); }
    int64_t high(size_t d) const { return std::max(shape.ghosts.high[d], desc.ghost_high[d]); }
    int64_t room(size_t d) const { return low(d) + shape.points[d] + high(d); }
    // Place in the order of the first direction that has more than one point; none: 5.
    size_t row() const {
        for (size_t i = 0; i < 5; ++i)
            if (desc.order[i] < 3 && room(static_cast<size_t>(desc.order[i])) > 1) return i;
        return 5;
    }
    // Indices by dimension, from 0 on.
    template <class Visit>
    void for_each_value(Visit &&visit) const {
        std::array<int64_t, 5> at{};
        for (at[4] = 0; at[4] < shape.n_places; ++at[4])
            for (at[3] = 0; at[3] < shape.n_components; ++at[3])
                for (at[2] = -low(2); at[2] < shape.points[2] + high(2); ++at[2])
                    for (at[1] = -low(1); at[1] < shape.points[1] + high(1); ++at[1])
                        for (at[0] = -low(0); at[0] < shape.points[0] + high(0); ++at[0]) visit(at);
    }
    int64_t extent(int32_t dimension) const {
        if (dimension == HALO_DIM_COMPONENTS) return shape.n_components;
        return dimension == HALO_DIM_PLACES ? shape.n_places : room(static_cast<size_t>(dimension));
    }
};

int64_t stride(const PartLayout &layout, int32_t dimension) {
    if (dimension == HALO_DIM_COMPONENTS) return layout.component_stride;
    return dimension == HALO_DIM_PLACES ? layout.place_stride : layout.stride[static_cast<size_t>(dimension)];
}

PartLayout layout_of(const RuleCase &made) { return LayoutRule(made.desc).layout(made.shape).value(); }

TEST(LayoutRule, KeepsValuesApartInsideTheStorage) {
    std::mt19937_64 random(20);
    for (int trial = 0; trial < 2000; ++trial) {
        const RuleCase made(random);
        const PartLayout layout = layout_of(made);
        std::vector<bool> taken(static_cast<size_t>(layout.elements));
        int64_t wrong = 0;
        made.for_each_value([&](const std::array<int64_t, 5> &at) {
            int64_t element = layout.first_owned;
            for (int32_t d = 0; d < 5; ++d) element += at[static_cast<size_t>(d)] * stride(layout, d);
            const bool free = element >= 0 && element < layout.elements && !taken[static_cast<size_t>(element)];
            wrong += !free;
            if (free) taken[static_cast<size_t>(element)] = true;
        });
        ASSERT_EQ(wrong, 0) << "trial " << trial;
    }
}

TEST(LayoutRule, BeginsRowsAligned) {
    std::mt19937_64 random(21);
    for (int trial = 0; trial < 2000; ++trial) {
        const RuleCase made(random);
        const PartLayout layout = layout_of(made);
        const auto aligned = [&](int64_t elements) { return elements * made.shape.element_bytes % made.desc.alignment == 0; };
        EXPECT_TRUE(aligned(layout.first_owned));
        EXPECT_TRUE(aligned(layout.elements));
        for (size_t i = made.row() + 1; i < 5; ++i) EXPECT_TRUE(aligned(stride(layout, made.desc.order[i]))) << "trial " << trial << ", entry " << i;
    }
}

TEST(LayoutRule, FollowsTheOrderAndPadsRowsOnly) {
    std::mt19937_64 random(22);
    for (int trial = 0; trial < 2000; ++trial) {
        const RuleCase made(random);
        const PartLayout layout = layout_of(made);
        const int64_t unit = made.desc.alignment / std::gcd(made.desc.alignment, made.shape.element_bytes);
        int64_t expected = 1;
        for (size_t i = 0; i < 5; ++i) {
            const int32_t dimension = made.desc.order[i];
            EXPECT_EQ(stride(layout, dimension), expected) << "trial " << trial << ", entry " << i;
            expected *= made.extent(dimension);
            if (i == made.row()) expected = (expected + unit - 1) / unit * unit;
        }
        EXPECT_LE(layout.elements, expected + unit); // what lies before the first row
    }
}

TEST(LayoutRule, IsTheSameForAllGhostWidthsThatItHasRoomFor) {
    std::mt19937_64 random(23);
    for (int trial = 0; trial < 500; ++trial) {
        RuleCase made(random);
        const PartLayout layout = layout_of(made);
        for (size_t d = 0; d < 3; ++d) {
            made.desc.ghost_low[d] = static_cast<int32_t>(made.low(d));
            made.desc.ghost_high[d] = static_cast<int32_t>(made.high(d));
        }
        made.shape.ghosts = {};
        EXPECT_EQ(layout_of(made), layout) << "trial " << trial;
    }
}

TEST(LayoutRule, WithoutPaddingIsTheNaturalOne) {
    const StorageShape shape{ { 4, 3, 2 }, { { 1, 2, 0 }, { 2, 1, 1 } }, 2, 3, 8 };
    const PartLayout natural = LayoutRule().layout(shape).value();
    EXPECT_EQ(natural, (PartLayout{ 7 * 6 * 3 * 2 * 3, 1 + 2 * 7, { 1, 7, 7 * 6 }, 7 * 6 * 3, 7 * 6 * 3 * 2 }));
}

TEST(LayoutRule, OfNothingNeedsNothing) { EXPECT_EQ(LayoutRule().layout({ { 0, 1, 1 }, {}, 3, 1, 8 }).value().elements, 0); }

TEST(LayoutRule, KnowsWhatAPartMayHave) {
    constexpr int64_t most = int64_t{ 1 } << 60;
    halo_layout_desc desc = HALO_LAYOUT_DESC_INIT;
    EXPECT_TRUE(LayoutRule(desc).layout({ { most, 1, 1 }, {}, 1, 1, 1 }));
    EXPECT_FALSE(LayoutRule(desc).layout({ { most + 1, 1, 1 }, {}, 1, 1, 1 }));
    EXPECT_FALSE(LayoutRule(desc).layout({ { INT64_MAX, INT64_MAX, INT64_MAX }, {}, INT32_MAX, INT32_MAX, INT64_MAX }));
    EXPECT_TRUE(LayoutRule(desc).layout({ { 2, most / 64, 1 }, {}, 1, 1, 1 }));
    EXPECT_FALSE(LayoutRule(desc).layout({ { 2, most / 64 + 1, 1 }, {}, 1, 1, 1 })); // a row of two bytes takes 64
    desc.ghost_low[0] = 1;
    EXPECT_FALSE(LayoutRule(desc).layout({ { most, 1, 1 }, {}, 1, 1, 1 }));
    EXPECT_FALSE(LayoutRule(desc).layout({ { most - 1, 1, 1 }, {}, 1, 1, 1 })); // what lies before the row is too much
    desc.ghost_high[0] = INT32_MAX;
    EXPECT_FALSE(LayoutRule(desc).layout({ { INT64_MAX, 1, 1 }, {}, 1, 1, 1 }));
}

TEST(LayoutRule, RefusesWhatIsNone) {
    const auto refused = [](auto &&change, const char *text) {
        halo_layout_desc desc = HALO_LAYOUT_DESC_INIT;
        change(desc);
        expect_failure(HALO_ERR_ARGUMENT, { text }, [&] { LayoutRule rule(desc); });
    };
    for (const int32_t alignment : { 0, -64, 24, 8192, INT32_MIN })
        refused([&](auto &desc) { desc.alignment = alignment; }, ("alignment is " + std::to_string(alignment)).c_str());
    refused([](auto &desc) { desc.order[4] = 0; }, "order { 0, 1, 2, 3, 0 }");
    refused([](auto &desc) { desc.order[0] = 5; }, "order { 5, 1, 2, 3, 4 }");
    refused([](auto &desc) { desc.ghost_low[1] = -1; }, "ghost widths -1 and 0 of direction 1");
    refused([](auto &desc) { desc.ghost_high[2] = -2; }, "ghost widths 0 and -2 of direction 2");
}

} // namespace
} // namespace halo
