// SPDX-License-Identifier: BSD-3-Clause
// Every op on every type against scalar code written out here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "random_table.h"
#include "tested_device.h"

namespace {

using namespace halo::test;
using Storage = std::vector<std::vector<unsigned char>>;

// Sums and products of integers wrap around.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, uint64_t, T>;

template <class T>
T combined(T a, T b, int32_t op) {
    switch (op) {
    case HALO_SUM: return static_cast<T>(static_cast<Wide<T>>(a) + static_cast<Wide<T>>(b));
    case HALO_PROD: return static_cast<T>(static_cast<Wide<T>>(a) * static_cast<Wide<T>>(b));
    case HALO_MIN: return std::min(a, b);
    case HALO_MAX: return std::max(a, b);
    case HALO_LAND: return a != T{} && b != T{};
    case HALO_LOR: return a != T{} || b != T{};
    case HALO_LXOR: return (a != T{}) != (b != T{});
    default: break;
    }
    if constexpr (std::is_integral_v<T>) return static_cast<T>(op == HALO_BAND ? a & b : op == HALO_BOR ? a | b : a ^ b);
    return T{ 77 };
}

template <class T>
std::complex<T> combined(std::complex<T> a, std::complex<T> b, int32_t op) {
    if (op == HALO_SUM) return { a.real() + b.real(), a.imag() + b.imag() };
    return { a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real() };
}

template <class T>
void set_value(unsigned char *at, Random &random) {
    if (pick(random, 0, 3) == 0) {
        std::memset(at, 0, sizeof(T));
    } else if constexpr (std::is_integral_v<T>) {
        const auto value = static_cast<T>(random());
        std::memcpy(at, &value, sizeof value);
    } else {
        const auto value = static_cast<T>(std::uniform_real_distribution<double>(-2, 2)(random));
        std::memcpy(at, &value, sizeof value);
    }
}

// Numbers at every place that the table touches.
template <class T>
void set_values(RandomTable &table, Random &random) {
    for (const halo_copy_row &row : table.rows()) {
        const halo_copy_shape &shape = table.shapes()[row.shape];
        for_each_element(shape, row, table.bases().data(), [&](unsigned char *dst, const unsigned char *src) {
            for (size_t at = 0; at < shape.element_bytes; at += sizeof(T)) {
                set_value<T>(dst + at, random);
                set_value<T>(const_cast<unsigned char *>(src) + at, random);
            }
        });
    }
}

template <class T, class Part = T>
void expect_right(halo_type type, const std::vector<int32_t> &ops) {
    const TestedDevice device;
    for (const int32_t op : ops)
        for (uint64_t seed = 1; seed <= 6; ++seed) {
            Random random(seed * 100 + static_cast<uint64_t>(type) * 10 + static_cast<uint64_t>(op));
            ShapeLimits limits;
            limits.element_bytes = { sizeof(T), 3 * sizeof(T) };
            limits.contiguous = seed % 2 == 0;
            RandomTable table(random, limits, 30, 2);
            set_values<Part>(table, random);
            Storage expected = table.storage();
            const std::vector<void *> bases = RandomTable::bases_of(expected);
            for (const halo_copy_row &row : table.rows()) {
                const halo_copy_shape &shape = table.shapes()[row.shape];
                for_each_element(shape, row, bases.data(), [&](unsigned char *dst, const unsigned char *src) {
                    for (size_t at = 0; at < shape.element_bytes; at += sizeof(T)) {
                        T a, b;
                        std::memcpy(&a, dst + at, sizeof a);
                        std::memcpy(&b, src + at, sizeof b);
                        a = combined(a, b, op);
                        std::memcpy(dst + at, &a, sizeof a);
                    }
                });
            }
            TestedTable(device, table.shapes(), table.rows()).run(table.bases(), op, type);
            ASSERT_TRUE(table.storage() == expected) << "type " << type << " op " << op << " seed " << seed;
        }
}

TEST(Accumulate, EveryType) {
    const std::vector<int32_t> arithmetic{ HALO_SUM, HALO_PROD };
    const std::vector<int32_t> all{ HALO_SUM, HALO_MIN, HALO_MAX, HALO_PROD, HALO_LAND, HALO_LOR, HALO_LXOR };
    std::vector<int32_t> integers = all;
    integers.insert(integers.end(), { HALO_BAND, HALO_BOR, HALO_BXOR });
    expect_right<float>(HALO_FLOAT32, all);
    expect_right<double>(HALO_FLOAT64, all);
    expect_right<int32_t>(HALO_INT32, integers);
    expect_right<int64_t>(HALO_INT64, integers);
    expect_right<int8_t>(HALO_INT8, integers);
    expect_right<int16_t>(HALO_INT16, integers);
    expect_right<uint8_t>(HALO_UINT8, integers);
    expect_right<uint16_t>(HALO_UINT16, integers);
    expect_right<uint32_t>(HALO_UINT32, integers);
    expect_right<uint64_t>(HALO_UINT64, integers);
    expect_right<std::complex<float>, float>(HALO_COMPLEX64, arithmetic);
    expect_right<std::complex<double>, double>(HALO_COMPLEX128, arithmetic);
}

// One shape that adds four numbers to four.
halo_copy_shape four_numbers(uint32_t bytes) {
    halo_copy_shape shape{};
    shape.n_pieces = 1;
    shape.element_bytes = bytes;
    shape.n[0] = shape.n[1] = shape.n[2] = 1;
    shape.run[0] = 4;
    shape.dst_step = shape.src_step[0] = bytes;
    return shape;
}

TEST(Accumulate, RowsGoInTheirOrder) {
    const TestedDevice device("4");
    double sum[4] = {};
    std::vector<std::vector<double>> parts;
    std::vector<void *> bases{ sum };
    std::vector<halo_copy_row> rows;
    Random random(5);
    for (uint32_t i = 0; i < 500; ++i) {
        std::vector<double> &part = parts.emplace_back();
        for (int k = 0; k < 4; ++k)
            part.push_back(std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), static_cast<int>(pick(random, -40, 40))));
        halo_copy_row row{};
        row.src_base[0] = i + 1;
        rows.push_back(row);
    }
    for (std::vector<double> &part : parts) bases.push_back(part.data());
    double expected[4] = {};
    for (const std::vector<double> &part : parts)
        for (int k = 0; k < 4; ++k) expected[k] += part[static_cast<size_t>(k)];
    TestedTable(device, { four_numbers(8) }, rows).run(bases, HALO_SUM, HALO_FLOAT64);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(sum[k], expected[k]);
}

// -0 below +0, NaN over numbers, whichever comes first.
template <class T>
void expect_extremes_without_order(halo_type type) {
    const TestedDevice device;
    const T nan = std::numeric_limits<T>::quiet_NaN(), zero = 0, one = 1;
    const T first[4] = { zero, -zero, nan, one }, second[4] = { -zero, zero, one, nan };
    for (const int32_t op : { HALO_MIN, HALO_MAX }) {
        T to[4], from[4];
        std::copy_n(first, 4, to);
        std::copy_n(second, 4, from);
        TestedTable(device, { four_numbers(sizeof(T)) }, { halo_copy_row{ 0, 0, { 1, 0, 0 }, 0, 0, { 0, 0, 0 } } }).run({ to, from }, op, type);
        EXPECT_EQ(to[0], 0);
        EXPECT_EQ(to[1], 0);
        EXPECT_EQ(std::signbit(to[0]), op == HALO_MIN);
        EXPECT_EQ(std::signbit(to[1]), op == HALO_MIN);
        EXPECT_TRUE(std::isnan(to[2]));
        EXPECT_TRUE(std::isnan(to[3]));
    }
}

TEST(Accumulate, ExtremesDoNotDependOnOrder) {
    expect_extremes_without_order<float>(HALO_FLOAT32);
    expect_extremes_without_order<double>(HALO_FLOAT64);
}

TEST(Accumulate, WhatCannotBeCombined) {
    const TestedDevice device;
    const TestedTable table(device, { four_numbers(8) }, { halo_copy_row{} });
    double values[4] = { 1, 2, 3, 4 };
    const std::vector<void *> bases{ values };
    const std::pair<int32_t, halo_type> wrong[] = {
        { HALO_SUM, HALO_BYTES }, { HALO_MIN, HALO_COMPLEX64 }, { HALO_MAX, HALO_COMPLEX64 }, { HALO_SUM, HALO_COMPLEX128 },
        { HALO_SUM, 0 },          { 5, HALO_FLOAT64 },          { -1, HALO_FLOAT64 }
    };
    for (const auto &[op, type] : wrong) {
        EXPECT_EQ(table.run_rows(0, 1, bases, op, type), HALO_ERR_ARGUMENT) << op << " " << type;
        EXPECT_FALSE(device.report().empty());
        EXPECT_EQ(values[2], 3);
    }
}

} // namespace
