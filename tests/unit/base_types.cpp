// SPDX-License-Identifier: BSD-3-Clause
// What each type can do, values combined at the ends of its range, and halves rounded from doubles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/combine.h"
#include "base/types.h"

namespace halo {
namespace {

constexpr halo_type integers[] = { HALO_INT8, HALO_INT16, HALO_INT32, HALO_INT64, HALO_UINT8, HALO_UINT16, HALO_UINT32, HALO_UINT64 };

bool is_integer(halo_type type) { return std::find(std::begin(integers), std::end(integers), type) != std::end(integers); }

TEST(Types, WhatEachCanDo) {
    for (halo_type type = HALO_FLOAT32; type <= HALO_BFLOAT16; ++type) {
        const bool complex = type == HALO_COMPLEX64 || type == HALO_COMPLEX128;
        const bool summed = type != HALO_BYTES && type != HALO_FLOAT16 && type != HALO_BFLOAT16;
        EXPECT_TRUE(type_known(type));
        for (const halo_op op : { HALO_SUM, HALO_PROD }) EXPECT_EQ(combines(type, op), summed) << type;
        for (const halo_op op : { HALO_MIN, HALO_MAX, HALO_LAND, HALO_LOR, HALO_LXOR }) EXPECT_EQ(combines(type, op), summed && !complex) << type;
        for (const halo_op op : { HALO_BAND, HALO_BOR, HALO_BXOR }) EXPECT_EQ(combines(type, op), is_integer(type)) << type;
        for (const halo_op op : { 0, HALO_USER, HALO_BXOR + 1 }) EXPECT_FALSE(combines(type, op)) << type;
        EXPECT_EQ(has_sign(type), type != HALO_BYTES && (type < HALO_UINT8 || type > HALO_UINT64)) << type;
    }
    EXPECT_FALSE(type_known(0));
    EXPECT_FALSE(type_known(HALO_BFLOAT16 + 1));
}

TEST(Types, NamesAndSizes) {
    std::set<std::string> names;
    for (halo_type type = HALO_FLOAT32; type <= HALO_BFLOAT16; ++type) {
        const std::string name = type_name(type);
        names.insert(name);
        if (type == HALO_BYTES) continue;
        const size_t digits = name.find_first_of("0123456789");
        EXPECT_EQ(8 * type_bytes(type), std::stoul(name.substr(digits))) << name;
        with_type(type, [&](auto value) { EXPECT_EQ(sizeof value, type_bytes(type)) << name; });
    }
    EXPECT_EQ(names.size(), static_cast<size_t>(HALO_BFLOAT16));
    EXPECT_STREQ(type_name(HALO_BFLOAT16 + 1), "unknown type");
}

template <class T>
T combined(T a, T b, halo_type type, halo_op op) {
    struct { // nothing beside the value is written
        T before, value, after;
    } into{ 55, a, 66 };
    combine(&into.value, &b, 1, type, op);
    EXPECT_EQ(into.before, T{ 55 });
    EXPECT_EQ(into.after, T{ 66 });
    T fetched = b;
    T at_owner = a;
    fetch_and_combine({ reinterpret_cast<std::byte *>(&at_owner), sizeof(T) }, { reinterpret_cast<std::byte *>(&fetched), sizeof(T) }, 1, type, op);
    EXPECT_EQ(at_owner, into.value);
    EXPECT_EQ(fetched, a);
    return into.value;
}

template <class T>
void expect_ends(halo_type type) {
    SCOPED_TRACE(type_name(type));
    const T least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max(), one = 1, none = 0;
    const auto all = static_cast<T>(~none);
    constexpr bool with_sign = std::is_signed_v<T>;
    EXPECT_EQ(combined<T>(most, one, type, HALO_SUM), least);
    EXPECT_EQ(combined<T>(least, all, type, HALO_SUM), with_sign ? most : all);
    EXPECT_EQ(combined<T>(all, all, type, HALO_PROD), one);
    EXPECT_EQ(combined<T>(most, most, type, HALO_PROD), one);
    EXPECT_EQ(combined<T>(most, 2, type, HALO_PROD), static_cast<T>(all - 1));
    EXPECT_EQ(combined<T>(least, most, type, HALO_MIN), least);
    EXPECT_EQ(combined<T>(least, most, type, HALO_MAX), most);
    EXPECT_EQ(combined<T>(all, one, type, HALO_MIN), with_sign ? all : one);
    EXPECT_EQ(combined<T>(all, one, type, HALO_MAX), with_sign ? one : all);
    EXPECT_EQ(combined<T>(all, 2, type, HALO_LAND), one);
    EXPECT_EQ(combined<T>(all, none, type, HALO_LAND), none);
    EXPECT_EQ(combined<T>(none, most, type, HALO_LOR), one);
    EXPECT_EQ(combined<T>(all, most, type, HALO_LXOR), none);
    EXPECT_EQ(combined<T>(all, none, type, HALO_LXOR), one);
    EXPECT_EQ(combined<T>(all, 6, type, HALO_BAND), T{ 6 });
    EXPECT_EQ(combined<T>(least, 5, type, HALO_BOR), static_cast<T>(least | 5));
    EXPECT_EQ(combined<T>(all, most, type, HALO_BXOR), static_cast<T>(all ^ most));
}

TEST(Types, IntegersAtTheirEnds) {
    expect_ends<int8_t>(HALO_INT8);
    expect_ends<int16_t>(HALO_INT16);
    expect_ends<int32_t>(HALO_INT32);
    expect_ends<int64_t>(HALO_INT64);
    expect_ends<uint8_t>(HALO_UINT8);
    expect_ends<uint16_t>(HALO_UINT16);
    expect_ends<uint32_t>(HALO_UINT32);
    expect_ends<uint64_t>(HALO_UINT64);
}

// As the standards say, digit by digit.
double value_of(halo_type type, uint32_t bits) {
    const int fraction = type == HALO_FLOAT16 ? 10 : 7, bias = type == HALO_FLOAT16 ? 15 : 127;
    const int exponent = static_cast<int>((bits & 0x7fffu) >> fraction);
    const double digits = bits & ((1u << fraction) - 1), sign = bits & 0x8000u ? -1 : 1;
    return sign *
           (exponent == 0 ? std::ldexp(digits, 1 - bias - fraction) : std::ldexp(digits + std::ldexp(1, fraction), exponent - bias - fraction));
}

TEST(Types, HalvesAreTheNearest) {
    for (const halo_type type : { HALO_FLOAT16, HALO_BFLOAT16 }) {
        const uint32_t infinity = type == HALO_FLOAT16 ? 0x7c00 : 0x7f80;
        for (uint32_t bits = 0; bits < infinity; ++bits) {
            const double low = value_of(type, bits), high = value_of(type, bits + 1),
                         middle = low + (high - low) / 2; // behind the largest: where infinity is
            for (const double sign : { 1.0, -1.0 }) {
                const auto rounded = [&](double value) { return half_bits(type, sign * value) ^ (sign < 0 ? 0x8000u : 0u); };
                ASSERT_EQ(rounded(low), bits);
                ASSERT_EQ(rounded(std::nextafter(middle, 0.0)), bits);
                ASSERT_EQ(rounded(middle), bits + bits % 2) << "the even one";
                ASSERT_EQ(rounded(std::nextafter(middle, 1e300)), bits + 1);
            }
        }
        EXPECT_EQ(half_bits(type, std::numeric_limits<double>::infinity()), infinity);
        EXPECT_EQ(half_bits(type, -1e300), 0x8000u | infinity);
        EXPECT_EQ(half_bits(type, std::numeric_limits<double>::denorm_min()), 0);
        EXPECT_GT(half_bits(type, std::numeric_limits<double>::quiet_NaN()) & 0x7fffu, infinity);
    }
}

} // namespace
} // namespace halo
