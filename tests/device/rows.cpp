// SPDX-License-Identifier: BSD-3-Clause
// Ranges of a table's rows, rows that are replaced, tables and runs that cannot be.
#include <gtest/gtest.h>

#include <numeric>

#include "tested_device.h"

namespace {

using namespace halo::test;

// One double per row; from base 0 to base 1.
struct Doubles {
    std::vector<halo_copy_shape> shapes{ 1 };
    std::vector<halo_copy_row> rows;
    std::vector<double> from, to;
    std::vector<void *> bases;

    explicit Doubles(int64_t n) : from(static_cast<size_t>(n)), to(static_cast<size_t>(n), -1.0), bases{ from.data(), to.data() } {
        shapes[0].n_pieces = 1;
        shapes[0].element_bytes = 8;
        shapes[0].n[0] = shapes[0].n[1] = shapes[0].n[2] = shapes[0].run[0] = 1;
        std::iota(from.begin(), from.end(), 0.0);
        for (int64_t i = 0; i < n; ++i) rows.push_back({ 0, 1, { 0, 9, 9 }, 0, 8 * i, { 8 * i, 0, 0 } });
    }
};

TEST(Rows, RunsARangeOfRows) {
    const TestedDevice device;
    Doubles work(10);
    TestedTable table(device, work.shapes, work.rows);
    ASSERT_EQ(table.run_rows(3, 4, work.bases), HALO_SUCCESS);
    EXPECT_EQ(work.to, (std::vector<double>{ -1, -1, -1, 3, 4, 5, 6, -1, -1, -1 }));
    for (const auto &[first, n] : { std::pair<int64_t, int64_t>{ -1, 2 }, { 8, 3 }, { 11, 0 }, { 0, -1 }, { 0, INT64_MAX }, { INT64_MAX, 1 } }) {
        EXPECT_EQ(table.run_rows(first, n, work.bases), HALO_ERR_ARGUMENT);
        EXPECT_EQ(table.patch(first, n, work.rows.data()), HALO_ERR_ARGUMENT);
    }
    EXPECT_EQ(table.run_rows(10, 0, {}), HALO_SUCCESS);
}

TEST(Rows, PatchReplacesRows) {
    const TestedDevice device;
    Doubles work(4);
    TestedTable table(device, work.shapes, work.rows);
    const std::vector<halo_copy_row> patch{ { 0, 1, { 0, 0, 0 }, 0, 8, { 24, 0, 0 } }, { 0, 1, { 2, 0, 0 }, 0, 16, { 0, 0, 0 } } };
    ASSERT_EQ(table.patch(1, 2, patch.data()), HALO_SUCCESS);
    double other = 77;
    work.bases.push_back(&other);
    table.run(work.bases);
    EXPECT_EQ(work.to, (std::vector<double>{ 0, 3, 77, 3 }));
}

// Rows get longer, so that there is more to do than before, and what was made ready for the rows before is not used for these.
TEST(Rows, PatchReplacesShapes) {
    const TestedDevice device;
    Doubles work(6);
    work.shapes.push_back(work.shapes[0]);
    work.shapes[1].run[0] = 3;
    work.shapes[1].dst_step = work.shapes[1].src_step[0] = 8;
    work.rows.resize(2);
    TestedTable table(device, work.shapes, work.rows);
    table.run(work.bases, HALO_SUM, HALO_FLOAT64); // -1 + 0, -1 + 1
    table.run(work.bases);
    EXPECT_EQ(work.to, (std::vector<double>{ 0, 1, -1, -1, -1, -1 }));
    const halo_copy_row longer{ 1, 1, { 0, 0, 0 }, 0, 24, { 24, 0, 0 } };
    ASSERT_EQ(table.patch(1, 1, &longer), HALO_SUCCESS);
    table.run(work.bases);
    EXPECT_EQ(work.to, (std::vector<double>{ 0, 1, -1, 3, 4, 5 }));
    table.run(work.bases, HALO_SUM, HALO_FLOAT64);
    EXPECT_EQ(work.to, (std::vector<double>{ 0, 1, -1, 6, 8, 10 }));
    const halo_copy_row back{ 0, 1, { 0, 0, 0 }, 0, 16, { 40, 0, 0 } };
    ASSERT_EQ(table.patch(1, 1, &back), HALO_SUCCESS);
    table.run(work.bases, HALO_SUM, HALO_FLOAT64);
    EXPECT_EQ(work.to, (std::vector<double>{ 0, 1, 4, 6, 8, 10 }));
}

TEST(Rows, BasesThatAreNotGiven) {
    const TestedDevice device;
    Doubles work(3);
    work.rows[2].src_base[0] = 5;
    TestedTable table(device, work.shapes, work.rows);
    EXPECT_EQ(table.run_rows(0, 3, work.bases), HALO_ERR_ARGUMENT);
    EXPECT_NE(device.report().find("row 2"), std::string::npos);
    EXPECT_EQ(work.to[0], -1.0);
    EXPECT_EQ(table.run_rows(0, 2, work.bases), HALO_SUCCESS);
    EXPECT_EQ(work.to, (std::vector<double>{ 0, 1, -1 }));
}

TEST(Rows, TablesThatCannotBe) {
    const TestedDevice device;
    const Doubles work(2);
    halo_copy_table *table = nullptr;
    const auto create = [&](const halo_copy_shape &shape, const halo_copy_row &row) {
        const halo_copy_program program{ sizeof program, &shape, 1, &row, 1, nullptr, 0 };
        return device.ops().table_create(device.get(), &program, &table);
    };
    halo_copy_shape shape = work.shapes[0];
    halo_copy_row row = work.rows[0];
    row.shape = 1;
    EXPECT_EQ(create(shape, row), HALO_ERR_ARGUMENT);
    for (const uint32_t n : { 0U, 4U }) {
        shape.n_pieces = n;
        EXPECT_EQ(create(shape, work.rows[0]), HALO_ERR_ARGUMENT);
    }
    shape = work.shapes[0];
    shape.element_bytes = 0;
    EXPECT_EQ(create(shape, work.rows[0]), HALO_ERR_ARGUMENT);
    EXPECT_EQ(table, nullptr);
    TestedTable good(device, work.shapes, work.rows);
    EXPECT_EQ(good.patch(0, 1, &row), HALO_ERR_ARGUMENT);
    const TestedTable empty(device, {}, {});
    empty.run({});
}

} // namespace
