// SPDX-License-Identifier: BSD-3-Clause
// Which rows are null: random sources against scalar code, and the borders of every type.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "random_table.h"
#include "tested_device.h"

namespace {

using namespace halo::test;

constexpr double infinity = std::numeric_limits<double>::infinity();

halo_copy_shape one_run(uint32_t element_bytes, uint32_t run) {
    halo_copy_shape shape{};
    shape.n_pieces = 1;
    shape.element_bytes = element_bytes;
    shape.n[0] = shape.n[1] = shape.n[2] = 1;
    shape.run[0] = run;
    shape.dst_step = shape.src_step[0] = element_bytes;
    return shape;
}

// Is a run of `n` zeros with `value` somewhere data? Every place, at every length, must give the same answer.
template <class T>
bool is_data(halo_type type, T value, double threshold) {
    const TestedDevice device;
    const uint32_t per_element = type == HALO_COMPLEX64 || type == HALO_COMPLEX128 ? 2 : 1;
    int data = 0, null = 0;
    for (const uint32_t n : { 2U, 34U, 68U }) {
        const TestedTable table(device, { one_run(per_element * sizeof(T), n / per_element) },
                                { halo_copy_row{ 0, 1, { 0, 0, 0 }, 0, 0, { 0, 0, 0 } } });
        for (uint32_t at = 0; at < n; ++at) {
            std::vector<T> from(n, T{}), to(n, T{ 1 });
            from[at] = value;
            const uint8_t tested = table.test({ from.data(), nullptr }, type, threshold)[0];
            EXPECT_EQ(to[0], T{ 1 });
            EXPECT_EQ(table.run_tested({ from.data(), to.data() }, type, threshold)[0], tested);
            EXPECT_EQ(std::memcmp(from.data(), to.data(), n * sizeof(T)), 0);
            (tested == 1 ? data : null) += 1;
        }
    }
    EXPECT_TRUE(data == 0 || null == 0) << data << " of " << data + null << " are data";
    return data > 0;
}

template <class T>
void expect_floating_borders(halo_type type) {
    const T nan = std::numeric_limits<T>::quiet_NaN(), half = T(0.5), tiny = std::numeric_limits<T>::denorm_min();
    const T inf = std::numeric_limits<T>::infinity(), largest = std::numeric_limits<T>::max();
    for (const T sign : { T(1), T(-1) }) {
        EXPECT_FALSE(is_data<T>(type, sign * T(0), 0));
        EXPECT_TRUE(is_data<T>(type, sign * tiny, 0));
        EXPECT_FALSE(is_data<T>(type, sign * T(0), std::numeric_limits<double>::denorm_min()));
        EXPECT_TRUE(is_data<T>(type, sign * tiny, std::numeric_limits<double>::denorm_min()));
        EXPECT_TRUE(is_data<T>(type, sign * half, 0.5));
        EXPECT_FALSE(is_data<T>(type, sign * std::nextafter(half, T(0)), 0.5));
        EXPECT_FALSE(is_data<T>(type, sign * half, std::nextafter(0.5, 1.0)));
        EXPECT_TRUE(is_data<T>(type, sign * half, std::nextafter(0.5, 0.0)));
        EXPECT_FALSE(is_data<T>(type, sign * largest, infinity));
        EXPECT_TRUE(is_data<T>(type, sign * inf, infinity));
        EXPECT_TRUE(is_data<T>(type, sign * inf, std::numeric_limits<double>::max()));
    }
    for (const double threshold : { 0.0, 0.5, 1e300, infinity }) EXPECT_TRUE(is_data<T>(type, nan, threshold)) << threshold;
}

TEST(NullTest, FloatingBorders) {
    expect_floating_borders<float>(HALO_FLOAT32);
    expect_floating_borders<double>(HALO_FLOAT64);
    expect_floating_borders<float>(HALO_COMPLEX64); // parts are tested one by one
    expect_floating_borders<double>(HALO_COMPLEX128);
}

template <class T>
void expect_integer_borders(halo_type type) {
    for (const T sign : { T(1), T(-1) }) {
        EXPECT_FALSE(is_data<T>(type, 0, 0));
        EXPECT_TRUE(is_data<T>(type, sign, 0));
        EXPECT_FALSE(is_data<T>(type, static_cast<T>(sign * 2), 2.5));
        EXPECT_TRUE(is_data<T>(type, static_cast<T>(sign * 3), 2.5));
        EXPECT_TRUE(is_data<T>(type, static_cast<T>(sign * 3), 3));
        EXPECT_FALSE(is_data<T>(type, static_cast<T>(sign * 2), 3));
        EXPECT_TRUE(is_data<T>(type, sign, 0.25));
        EXPECT_FALSE(is_data<T>(type, static_cast<T>(sign * std::numeric_limits<T>::max()), infinity));
    }
    EXPECT_FALSE(is_data<T>(type, std::numeric_limits<T>::min(), infinity));
    const double limit = -static_cast<double>(std::numeric_limits<T>::min());
    EXPECT_TRUE(is_data<T>(type, std::numeric_limits<T>::min(), limit));
    EXPECT_FALSE(is_data<T>(type, std::numeric_limits<T>::min(), std::nextafter(limit, infinity)));
    EXPECT_FALSE(is_data<T>(type, std::numeric_limits<T>::max(), limit));
}

TEST(NullTest, IntegerBorders) {
    expect_integer_borders<int8_t>(HALO_INT8);
    expect_integer_borders<int16_t>(HALO_INT16);
    expect_integer_borders<int32_t>(HALO_INT32);
    expect_integer_borders<int64_t>(HALO_INT64);
    const int64_t odd = (int64_t{ 1 } << 60) + 1; // no double has this value
    EXPECT_TRUE(is_data<int64_t>(HALO_INT64, odd, 0x1p60));
    EXPECT_FALSE(is_data<int64_t>(HALO_INT64, (int64_t{ 1 } << 60) - 1, 0x1p60));
}

// What would be negative is large.
template <class T>
void expect_unsigned_borders(halo_type type) {
    const T most = std::numeric_limits<T>::max(), middle = static_cast<T>(most / 2 + 1);
    const double middle_as_double = std::ldexp(0.5, std::numeric_limits<T>::digits), end = std::ldexp(1.0, std::numeric_limits<T>::digits);
    EXPECT_FALSE(is_data<T>(type, 0, 0));
    EXPECT_TRUE(is_data<T>(type, 1, 0));
    EXPECT_TRUE(is_data<T>(type, most, 0));
    EXPECT_TRUE(is_data<T>(type, 1, 0.25));
    EXPECT_FALSE(is_data<T>(type, 2, 2.5));
    EXPECT_TRUE(is_data<T>(type, 3, 2.5));
    EXPECT_TRUE(is_data<T>(type, 3, 3));
    EXPECT_TRUE(is_data<T>(type, middle, middle_as_double));
    EXPECT_FALSE(is_data<T>(type, static_cast<T>(middle - 1), middle_as_double));
    EXPECT_FALSE(is_data<T>(type, middle, std::nextafter(middle_as_double, infinity)));
    EXPECT_TRUE(is_data<T>(type, most, std::nextafter(middle_as_double, infinity)));
    for (const double threshold : { end, 1e300, infinity }) EXPECT_FALSE(is_data<T>(type, most, threshold)) << threshold;
    EXPECT_TRUE(is_data<T>(type, most, std::nextafter(end, 0.0) - (sizeof(T) < 8 ? 1 : 0)));
}

TEST(NullTest, UnsignedBorders) {
    expect_unsigned_borders<uint8_t>(HALO_UINT8);
    expect_unsigned_borders<uint16_t>(HALO_UINT16);
    expect_unsigned_borders<uint32_t>(HALO_UINT32);
    expect_unsigned_borders<uint64_t>(HALO_UINT64);
}

// Given by their bits.
struct HalfBits {
    uint16_t tiny, below_half, half, largest, infinite, nan, other_nan;
    double tiny_value, largest_value;
};

void expect_half_borders(halo_type type, const HalfBits &bits) {
    for (const uint16_t sign : { 0, 0x8000 }) {
        const auto with_sign = [&](uint16_t size) { return static_cast<uint16_t>(sign | size); };
        EXPECT_FALSE(is_data<uint16_t>(type, with_sign(0), 0));
        EXPECT_TRUE(is_data<uint16_t>(type, with_sign(bits.tiny), 0));
        EXPECT_FALSE(is_data<uint16_t>(type, with_sign(0), std::numeric_limits<double>::denorm_min()));
        EXPECT_TRUE(is_data<uint16_t>(type, with_sign(bits.tiny), std::numeric_limits<double>::denorm_min()));
        EXPECT_TRUE(is_data<uint16_t>(type, with_sign(bits.tiny), bits.tiny_value));
        EXPECT_FALSE(is_data<uint16_t>(type, with_sign(bits.tiny), std::nextafter(bits.tiny_value, 1.0)));
        EXPECT_FALSE(is_data<uint16_t>(type, with_sign(bits.tiny), 2 * bits.tiny_value));
        EXPECT_TRUE(is_data<uint16_t>(type, with_sign(static_cast<uint16_t>(bits.tiny + 1)), 2 * bits.tiny_value));
        EXPECT_TRUE(is_data<uint16_t>(type, with_sign(bits.half), 0.5));
        EXPECT_FALSE(is_data<uint16_t>(type, with_sign(bits.below_half), 0.5));
        EXPECT_FALSE(is_data<uint16_t>(type, with_sign(bits.half), std::nextafter(0.5, 1.0)));
        EXPECT_TRUE(is_data<uint16_t>(type, with_sign(bits.half), std::nextafter(0.5, 0.0)));
        EXPECT_TRUE(is_data<uint16_t>(type, with_sign(bits.largest), bits.largest_value));
        for (const double threshold : { std::nextafter(bits.largest_value, infinity), 1e300, infinity }) {
            EXPECT_FALSE(is_data<uint16_t>(type, with_sign(bits.largest), threshold)) << threshold;
            EXPECT_TRUE(is_data<uint16_t>(type, with_sign(bits.infinite), threshold)) << threshold;
        }
        for (const double threshold : { 0.0, 0.5, 1e300, infinity })
            for (const uint16_t nan : { bits.nan, bits.other_nan }) EXPECT_TRUE(is_data<uint16_t>(type, with_sign(nan), threshold)) << threshold;
    }
}

TEST(NullTest, HalfBorders) {
    expect_half_borders(HALO_FLOAT16, { 1, 0x37ff, 0x3800, 0x7bff, 0x7c00, 0x7e00, 0x7c01, 0x1p-24, 65504 });
    expect_half_borders(HALO_BFLOAT16, { 1, 0x3eff, 0x3f00, 0x7f7f, 0x7f80, 0x7fc0, 0x7f81, 0x1p-133, 0x1.fep127 });
}

TEST(NullTest, BytesAreNullWhenAllAreZero) {
    EXPECT_FALSE(is_data<uint8_t>(HALO_BYTES, 0, 0));
    EXPECT_TRUE(is_data<uint8_t>(HALO_BYTES, 1, 0));
    EXPECT_TRUE(is_data<uint8_t>(HALO_BYTES, 1, 100));
}

// Random shapes in which only some places of a row are not zero.
TEST(NullTest, RandomTables) {
    const TestedDevice device;
    int64_t n_null = 0, n_data = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        ShapeLimits limits;
        limits.element_bytes = { 8, 24 };
        limits.contiguous = seed % 2 == 0;
        limits.same_layout = seed % 3 == 0;
        RandomTable table(random, limits, 40, 3);
        for (std::vector<unsigned char> &part : table.storage())
            if (pick(random, 0, 2) != 0) std::fill(part.begin(), part.end(), 0);
        const std::vector<void *> bases = table.bases();
        std::vector<uint8_t> expected;
        for (const halo_copy_row &row : table.rows()) {
            const halo_copy_shape &shape = table.shapes()[row.shape];
            std::vector<unsigned char *> values;
            for_each_element(shape, row, bases.data(), [&](unsigned char *, const unsigned char *src) {
                for (size_t at = 0; at < shape.element_bytes; at += 8) values.push_back(const_cast<unsigned char *>(src) + at);
            });
            for (unsigned char *value : values) std::memset(value, 0, 8);
            const bool data = !values.empty() && pick(random, 0, 1) == 0;
            const double one = -1.5;
            if (data) std::memcpy(one_of(random, values), &one, 8);
            expected.push_back(data ? 1 : 0);
            (data ? n_data : n_null) += 1;
        }
        std::vector<std::vector<unsigned char>> copied = table.storage();
        const TestedTable mine(device, table.shapes(), table.rows());
        ASSERT_EQ(mine.test(bases, HALO_FLOAT64, 1.25), expected) << "seed " << seed;
        ASSERT_TRUE(table.storage() == copied);
        ASSERT_EQ(mine.run_tested(bases, HALO_FLOAT64, 1.25), expected) << "seed " << seed;
        mine.run(RandomTable::bases_of(copied));
        ASSERT_TRUE(table.storage() == copied);
    }
    EXPECT_GT(n_null, 100);
    EXPECT_GT(n_data, 100);
}

// Rows of several fields share a table; only those asked for must have values of the type.
TEST(NullTest, RowsOfOtherTypes) {
    const TestedDevice device;
    const TestedTable table(device, { one_run(8, 2), one_run(4, 1) }, { halo_copy_row{}, halo_copy_row{ 1, 0, { 1, 0, 0 }, 0, 0, { 0, 0, 0 } } });
    double wide[2] = { 0, 2 };
    float narrow = 0;
    const std::vector<void *> bases{ wide, &narrow };
    const halo_null_test of_wide{ HALO_FLOAT64, 0, 0.0 }, of_narrow{ HALO_FLOAT32, 0, 0.0 };
    uint8_t non_null[2] = { 55, 55 };
    EXPECT_EQ(table.test_rows(0, 1, bases, of_wide, non_null), HALO_SUCCESS);
    EXPECT_EQ(table.test_rows(1, 1, bases, of_narrow, non_null + 1), HALO_SUCCESS);
    EXPECT_EQ(non_null[0], 1);
    EXPECT_EQ(non_null[1], 0);
    EXPECT_EQ(table.test_rows(0, 2, bases, of_wide, non_null), HALO_ERR_ARGUMENT);
}

TEST(NullTest, WhatCannotBeTested) {
    const TestedDevice device;
    const TestedTable table(device, { one_run(8, 2) }, { halo_copy_row{} });
    double values[2] = {};
    const std::vector<void *> bases{ values };
    uint8_t non_null = 55;
    for (const halo_type type : { 0, HALO_BFLOAT16 + 1, HALO_COMPLEX128 }) {
        const halo_null_test test{ type, 0, 0.0 };
        EXPECT_EQ(table.test_rows(0, 1, bases, test, &non_null), HALO_ERR_ARGUMENT);
        EXPECT_EQ(table.run_tested_rows(0, 1, bases, test, &non_null), HALO_ERR_ARGUMENT);
        EXPECT_EQ(non_null, 55);
    }
}

} // namespace
