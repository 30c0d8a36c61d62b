// SPDX-License-Identifier: BSD-3-Clause
// Rows through lists of points, and rows that change signs, against the element-by-element reference.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>

#include "random_table.h"
#include "tested_device.h"

namespace {

using namespace halo::test;

constexpr int64_t points_there = 700; // on either side
constexpr int64_t padding = 3;        // bytes before the first: nothing need be aligned

// A table of one row with its storage: base 0 is the source, base 1 the destination.
struct Listed {
    halo_copy_shape shape{};
    halo_copy_row row{};
    std::vector<uint32_t> indices;
    std::vector<unsigned char> source, destination;

    std::vector<void *> bases() { return { source.data(), destination.data() }; }
    halo_copy_program program() const {
        return { sizeof(halo_copy_program), &shape, 1, &row, 1, indices.data(), static_cast<int64_t>(indices.size()) };
    }
    int64_t source_place(int64_t i) const { return (shape.lists & HALO_LIST_SOURCE) != 0 ? indices[static_cast<size_t>(row.src_offset[1] + i)] : i; }
    int64_t destination_place(int64_t i) const {
        return (shape.lists & HALO_LIST_DESTINATION) != 0 ? indices[static_cast<size_t>(row.src_offset[2] + i)] : i;
    }
};

// Components of a point side by side, or each in an array of its own.
void set_strides(bool together, int64_t bytes, int64_t components, int64_t &step, int64_t &component_stride) {
    step = together ? bytes * components : bytes;
    component_stride = together ? bytes : bytes * points_there;
}

Listed random_case(Random &random, uint32_t lists, uint32_t bytes, uint32_t components, bool repeat) {
    Listed one;
    halo_copy_shape &shape = one.shape;
    shape.n_pieces = 1;
    shape.element_bytes = bytes;
    shape.lists = lists;
    shape.n[0] = shape.n[1] = 1;
    shape.n[2] = components;
    shape.run[0] = static_cast<uint32_t>(one_of<int64_t>(random, { 0, 1, 2, 23, 24, 25, 255, 256, 257, 600 }));
    set_strides(pick(random, 0, 1) == 0, bytes, components, shape.dst_step, shape.dst_stride[2]);
    set_strides(pick(random, 0, 1) == 0, bytes, components, shape.src_step[0], shape.src_stride[0][2]);
    one.row.dst_base = 1;
    one.row.src_base[1] = one.row.src_base[2] = UINT32_MAX; // not to be looked at
    one.row.dst_offset = one.row.src_offset[0] = padding;
    const auto list = [&](bool may_repeat) {
        std::vector<uint32_t> places(points_there);
        for (uint32_t i = 0; i < points_there; ++i) places[i] = may_repeat ? static_cast<uint32_t>(pick(random, 0, 9)) : i;
        std::shuffle(places.begin(), places.end(), random);
        one.indices.resize(one.indices.size() + static_cast<size_t>(pick(random, 0, 5)), UINT32_MAX); // belongs to no list
        const auto start = static_cast<int64_t>(one.indices.size());
        one.indices.insert(one.indices.end(), places.begin(), places.begin() + shape.run[0]);
        return start;
    };
    if ((lists & HALO_LIST_SOURCE) != 0) one.row.src_offset[1] = list(pick(random, 0, 1) == 0);
    if ((lists & HALO_LIST_DESTINATION) != 0) one.row.src_offset[2] = list(repeat);
    const auto size = static_cast<size_t>(padding + points_there * components * bytes);
    for (auto *side : { &one.source, &one.destination }) {
        side->resize(size);
        for (unsigned char &byte : *side) byte = static_cast<unsigned char>(random());
    }
    return one;
}

// Calls `each(destination, source)` for every element, points in their order.
template <class Each>
void for_each_listed(Listed &one, std::vector<unsigned char> &destination, Each &&each) {
    const halo_copy_shape &shape = one.shape;
    for (int64_t c = 0; c < shape.n[2]; ++c)
        for (int64_t i = 0; i < shape.run[0]; ++i)
            each(destination.data() + one.row.dst_offset + c * shape.dst_stride[2] + one.destination_place(i) * shape.dst_step,
                 one.source.data() + one.row.src_offset[0] + c * shape.src_stride[0][2] + one.source_place(i) * shape.src_step[0]);
}

TEST(Listed, MovesOfEverySize) {
    const TestedDevice device;
    for (uint64_t seed = 1; seed <= 8; ++seed)
        for (const uint32_t lists : { HALO_LIST_SOURCE, HALO_LIST_DESTINATION, HALO_LIST_SOURCE | HALO_LIST_DESTINATION })
            for (const uint32_t bytes : { 1U, 2U, 3U, 4U, 8U, 12U, 16U, 20U, 24U })
                for (const uint32_t components : { 1U, 2U, 3U, 4U, 5U, 8U }) {
                    Random random(seed * 100000 + lists * 10000 + bytes * 100 + components);
                    Listed one = random_case(random, lists, bytes, components, false);
                    std::vector<unsigned char> expected = one.destination;
                    for_each_listed(one, expected, [&](unsigned char *to, const unsigned char *from) { std::memcpy(to, from, bytes); });
                    TestedTable(device, one.program()).run(one.bases());
                    ASSERT_TRUE(one.destination == expected) << "seed " << seed << " lists " << lists << " bytes " << bytes << " x " << components;
                }
}

// Destinations may be named several times: their contributions come in the order of the list.
template <class T>
void expect_combined(halo_type type, int32_t op, T (*combine)(T, T)) {
    const TestedDevice device;
    for (uint64_t seed = 1; seed <= 12; ++seed)
        for (const uint32_t lists : { HALO_LIST_SOURCE, HALO_LIST_DESTINATION, HALO_LIST_SOURCE | HALO_LIST_DESTINATION })
            for (const uint32_t components : { 1U, 3U, 4U }) {
                Random random(seed * 1000 + lists * 10 + components);
                Listed one = random_case(random, lists, sizeof(T), components, true);
                for (auto *side : { &one.source, &one.destination })
                    for (size_t at = padding; at < side->size(); at += sizeof(T)) {
                        const T value = static_cast<T>(static_cast<T>(pick(random, -1000, 1000)) / static_cast<T>(3));
                        std::memcpy(side->data() + at, &value, sizeof value);
                    }
                std::vector<unsigned char> expected = one.destination;
                for_each_listed(one, expected, [&](unsigned char *to, const unsigned char *from) {
                    T a, b;
                    std::memcpy(&a, to, sizeof a);
                    std::memcpy(&b, from, sizeof b);
                    a = combine(a, b);
                    std::memcpy(to, &a, sizeof a);
                });
                TestedTable(device, one.program()).run(one.bases(), op, type);
                ASSERT_TRUE(one.destination == expected) << "type " << type << " op " << op << " seed " << seed << " lists " << lists;
            }
}

TEST(Listed, CombinesInTheOrderOfTheList) {
    expect_combined<double>(HALO_FLOAT64, HALO_SUM, [](double a, double b) { return a + b; });
    expect_combined<double>(HALO_FLOAT64, HALO_MIN, [](double a, double b) { return a < b ? a : b; });
    expect_combined<float>(HALO_FLOAT32, HALO_SUM, [](float a, float b) { return a + b; });
    expect_combined<int32_t>(HALO_INT32, HALO_MAX, [](int32_t a, int32_t b) { return a > b ? a : b; });
    expect_combined<uint8_t>(HALO_UINT8, HALO_SUM, [](uint8_t a, uint8_t b) { return static_cast<uint8_t>(a + b); });
    expect_combined<int16_t>(HALO_INT16, HALO_MIN, [](int16_t a, int16_t b) { return a < b ? a : b; });
    expect_combined<int64_t>(HALO_INT64, HALO_SUM, [](int64_t a, int64_t b) { return a + b; });
    expect_combined<std::complex<double>>(HALO_COMPLEX128, HALO_SUM, [](std::complex<double> a, std::complex<double> b) { return a + b; });
}

TEST(Listed, NullTests) {
    const TestedDevice device;
    int n_data = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        Listed one = random_case(random, HALO_LIST_SOURCE, 8, static_cast<uint32_t>(pick(random, 1, 3)), false);
        std::fill(one.source.begin(), one.source.end(), 0);
        const double value = 1;
        const int64_t at = pick(random, 0, points_there * one.shape.n[2] - 1);
        std::memcpy(one.source.data() + padding + at * 8, &value, sizeof value);
        uint8_t expected = 0;
        for_each_listed(one, one.destination, [&](unsigned char *, const unsigned char *from) {
            double found;
            std::memcpy(&found, from, sizeof found);
            if (found != 0) expected = 1;
        });
        n_data += expected;
        const TestedTable table(device, one.program());
        EXPECT_EQ(table.test(one.bases(), HALO_FLOAT64, 0)[0], expected);
        EXPECT_EQ(table.run_tested(one.bases(), HALO_FLOAT64, 0)[0], expected);
    }
    EXPECT_GT(n_data, 20);
    EXPECT_LT(n_data, 180);
}

template <class T, class Part = T>
void expect_negated(halo_type type) {
    const TestedDevice device;
    for (uint64_t seed = 1; seed <= 10; ++seed) {
        Random random(seed);
        ShapeLimits limits;
        limits.element_bytes = { sizeof(T) };
        limits.contiguous = seed % 2 == 0;
        limits.run.insert(limits.run.end(), { 300, 1000 });
        RandomTable table(random, limits, 30, 2);
        std::vector<halo_copy_shape> shapes = table.shapes();
        for (halo_copy_shape &shape : shapes) shape.negate = pick(random, 0, 1) == 0 ? type : 0;
        std::vector<std::vector<unsigned char>> expected = table.storage();
        const std::vector<void *> bases = RandomTable::bases_of(expected);
        for (const halo_copy_row &row : table.rows())
            for_each_element(shapes[row.shape], row, bases.data(), [&](unsigned char *dst, const unsigned char *src) {
                std::memcpy(dst, src, sizeof(T));
                if (shapes[row.shape].negate == 0) return;
                for (size_t at = 0; at < sizeof(T); at += sizeof(Part)) {
                    Part value;
                    std::memcpy(&value, dst + at, sizeof value);
                    if constexpr (std::is_unsigned_v<Part>)
                        value = static_cast<Part>(value ^ 0x8000u); // HALO_FLOAT16, HALO_BFLOAT16 by their bits
                    else if constexpr (std::is_integral_v<Part>)
                        value = value == std::numeric_limits<Part>::min() ? value : static_cast<Part>(-value);
                    else
                        value = -value;
                    std::memcpy(dst + at, &value, sizeof value);
                }
            });
        TestedTable(device, shapes, table.rows()).run(table.bases());
        ASSERT_TRUE(table.storage() == expected) << "type " << type << " seed " << seed;
    }
}

TEST(Negated, EveryType) {
    expect_negated<float>(HALO_FLOAT32);
    expect_negated<double>(HALO_FLOAT64);
    expect_negated<int8_t>(HALO_INT8);
    expect_negated<int16_t>(HALO_INT16);
    expect_negated<uint16_t>(HALO_FLOAT16);
    expect_negated<uint16_t>(HALO_BFLOAT16);
    expect_negated<int32_t>(HALO_INT32);
    expect_negated<int64_t>(HALO_INT64);
    expect_negated<std::complex<float>, float>(HALO_COMPLEX64);
    expect_negated<std::complex<double>, double>(HALO_COMPLEX128);
}

TEST(Negated, ThroughAList) {
    const TestedDevice device;
    Random random(3);
    Listed one = random_case(random, HALO_LIST_SOURCE, 4, 2, false);
    one.shape.negate = HALO_INT32;
    std::vector<unsigned char> expected = one.destination;
    for_each_listed(one, expected, [&](unsigned char *to, const unsigned char *from) {
        uint32_t value;
        std::memcpy(&value, from, sizeof value);
        value = 0 - value;
        std::memcpy(to, &value, sizeof value);
    });
    TestedTable(device, one.program()).run(one.bases());
    EXPECT_TRUE(one.destination == expected);
}

void expect_refused(const Listed &one, const char *text) {
    SCOPED_TRACE(text);
    const TestedDevice device;
    halo_copy_table *table = nullptr;
    const halo_copy_program program = one.program();
    EXPECT_EQ(device.ops().table_create(device.get(), &program, &table), HALO_ERR_ARGUMENT);
    EXPECT_NE(device.report().find(text), std::string::npos) << device.report();
}

TEST(Listed, WhatCannotBe) {
    Listed good;
    good.shape.n_pieces = 1;
    good.shape.element_bytes = 8;
    good.shape.n[0] = good.shape.n[1] = good.shape.n[2] = 1;
    good.shape.run[0] = 4;
    good.shape.lists = HALO_LIST_SOURCE | HALO_LIST_DESTINATION;
    good.indices = { 0, 1, 2, 3, 4, 5 };
    good.row.src_offset[1] = 2;
    for (const int side : { 1, 2 })
        for (const int64_t start : { int64_t{ -1 }, int64_t{ 3 }, INT64_MAX }) {
            Listed wrong = good;
            wrong.row.src_offset[side] = start;
            expect_refused(wrong, "indices");
        }
    Listed wrong = good;
    wrong.shape.run[0] = 7;
    wrong.row.src_offset[1] = 0;
    expect_refused(wrong, "indices 0 + 7 of 6");
    wrong = good;
    wrong.shape.n_pieces = 2;
    expect_refused(wrong, "one piece");
    wrong = good;
    wrong.shape.lists = 8;
    expect_refused(wrong, "`lists`");
    for (const halo_type type : { -1, HALO_BYTES, HALO_UINT8, HALO_UINT64, 99 }) {
        wrong = good;
        wrong.shape.negate = type;
        expect_refused(wrong, "sign");
    }
    wrong = good;
    wrong.shape.negate = HALO_COMPLEX128;
    expect_refused(wrong, "whole number");

    const TestedDevice device;
    TestedTable table(device, good.program());
    halo_copy_row row = good.row;
    row.src_offset[2] = 5;
    EXPECT_EQ(table.patch(0, 1, &row), HALO_ERR_ARGUMENT);
    EXPECT_NE(device.report().find("indices 5 + 4 of 6"), std::string::npos);
}

} // namespace
