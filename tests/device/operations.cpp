// SPDX-License-Identifier: BSD-3-Clause
// The rest of the operations: memory, copies, fills, events, patches, ranges, and that runs allocate nothing.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "allocations.h"
#include "host_fixture.h"
#include "random_table.h"

namespace {

using namespace halo::test;

TEST(Operations, DescribesItself) {
    char why[64] = "";
    EXPECT_STREQ(halo_device_host.name, "host");
    EXPECT_EQ(halo_device_host.copy_layout, static_cast<uint32_t>(HALO_COPY_LAYOUT));
    EXPECT_EQ(halo_device_host.memory_kinds, 1U << HALO_MEMORY_HOST | 1U << HALO_MEMORY_PINNED);
    EXPECT_GT(halo_device_host.query(nullptr, why, sizeof why), 0);
    EXPECT_STRNE(why, "");
    halo_device *device = nullptr;
    EXPECT_EQ(halo_device_host.ops->open(nullptr, 1, &device), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device, nullptr);
}

TEST(Operations, MemoryIsAligned) {
    const HostDevice device;
    for (const int32_t memory : { HALO_MEMORY_HOST, HALO_MEMORY_PINNED })
        for (const size_t bytes : { size_t{ 0 }, size_t{ 1 }, size_t{ 64 }, size_t{ 1000 }, size_t{ 1 } << 20 }) {
            void *pointer = nullptr;
            ASSERT_EQ(device.ops().allocate(device.get(), memory, bytes, &pointer), HALO_SUCCESS);
            ASSERT_NE(pointer, nullptr);
            EXPECT_EQ(reinterpret_cast<uintptr_t>(pointer) % 64, 0U);
            std::memset(pointer, 1, bytes);
            device.ops().release(device.get(), memory, pointer, bytes);
        }
}

TEST(Operations, MemoryThatThereIsNot) {
    const HostDevice device;
    int there = 0;
    void *pointer = &there;
    EXPECT_EQ(device.ops().allocate(device.get(), HALO_MEMORY_DEVICE, 10, &pointer), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.ops().allocate(device.get(), HALO_MEMORY_HOST, SIZE_MAX, &pointer), HALO_ERR_MEMORY);
    EXPECT_NE(device.report().find(std::to_string(SIZE_MAX)), std::string::npos);
    EXPECT_EQ(pointer, &there);
}

TEST(Operations, CopyAndFill) {
    const HostDevice device;
    unsigned char value[16];
    std::iota(value, value + 16, static_cast<unsigned char>(3));
    for (size_t bytes = 1; bytes <= 16; ++bytes)
        for (const int64_t n : { 0, 1, 2, 3, 7, 100, 5000 }) {
            const size_t total = bytes * static_cast<size_t>(n);
            std::vector<unsigned char> filled(total + 1, 99), copied(total + 1, 98);
            ASSERT_EQ(device.ops().fill(device.get(), filled.data(), value, bytes, n, nullptr), HALO_SUCCESS);
            for (size_t i = 0; i < total; ++i) ASSERT_EQ(filled[i], value[i % bytes]) << i << " of values of " << bytes << " bytes";
            EXPECT_EQ(filled[total], 99);
            ASSERT_EQ(device.ops().copy(device.get(), copied.data(), filled.data(), total, nullptr), HALO_SUCCESS);
            EXPECT_EQ(std::memcmp(copied.data(), filled.data(), total), 0);
            EXPECT_EQ(copied[total], 98);
        }
    EXPECT_EQ(device.ops().copy(device.get(), nullptr, nullptr, 0, nullptr), HALO_SUCCESS);
    EXPECT_EQ(device.ops().fill(device.get(), value, value, 0, 1, nullptr), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.ops().fill(device.get(), value, value, 17, 1, nullptr), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.ops().fill(device.get(), value, value, 1, -1, nullptr), HALO_ERR_ARGUMENT);
}

TEST(Operations, EventsAreDoneAtOnce) {
    const HostDevice device;
    halo_event *event = nullptr;
    int32_t done = 0;
    ASSERT_EQ(device.ops().event_create(device.get(), &event), HALO_SUCCESS);
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(device.ops().event_record(device.get(), event, nullptr), HALO_SUCCESS);
    EXPECT_EQ(device.ops().event_wait(device.get(), event, nullptr), HALO_SUCCESS);
    EXPECT_EQ(device.ops().event_query(device.get(), event, &done), HALO_SUCCESS);
    EXPECT_EQ(done, 1);
    device.ops().event_destroy(device.get(), event);
}

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

TEST(Operations, RunsARangeOfRows) {
    const HostDevice device;
    Doubles work(10);
    const HostTable table(device, work.shapes, work.rows);
    ASSERT_EQ(device.ops().table_run(device.get(), table.get(), 3, 4, work.bases.data(), 2, HALO_COPY_MOVE, 0, nullptr), HALO_SUCCESS);
    EXPECT_EQ(work.to, (std::vector<double>{ -1, -1, -1, 3, 4, 5, 6, -1, -1, -1 }));
    for (const auto &[first, n] : { std::pair<int64_t, int64_t>{ -1, 2 }, { 8, 3 }, { 11, 0 }, { 0, -1 }, { 0, INT64_MAX }, { INT64_MAX, 1 } }) {
        EXPECT_EQ(device.ops().table_run(device.get(), table.get(), first, n, work.bases.data(), 2, HALO_COPY_MOVE, 0, nullptr), HALO_ERR_ARGUMENT);
        EXPECT_EQ(device.ops().table_patch(device.get(), table.get(), first, n, work.rows.data()), HALO_ERR_ARGUMENT);
    }
    EXPECT_EQ(device.ops().table_run(device.get(), table.get(), 10, 0, nullptr, 0, HALO_COPY_MOVE, 0, nullptr), HALO_SUCCESS);
}

TEST(Operations, PatchReplacesRows) {
    const HostDevice device;
    Doubles work(4);
    const HostTable table(device, work.shapes, work.rows);
    const std::vector<halo_copy_row> patch{ { 0, 1, { 0, 0, 0 }, 0, 8, { 24, 0, 0 } }, { 0, 1, { 2, 0, 0 }, 0, 16, { 0, 0, 0 } } };
    ASSERT_EQ(device.ops().table_patch(device.get(), table.get(), 1, 2, patch.data()), HALO_SUCCESS);
    double other = 77;
    work.bases.push_back(&other);
    table.run(work.bases);
    EXPECT_EQ(work.to, (std::vector<double>{ 0, 3, 77, 3 }));
}

TEST(Operations, BasesThatAreNotGiven) {
    const HostDevice device;
    Doubles work(3);
    work.rows[2].src_base[0] = 5;
    const HostTable table(device, work.shapes, work.rows);
    void *bases[] = { work.from.data(), work.to.data(), nullptr, nullptr, nullptr, nullptr };
    EXPECT_EQ(device.ops().table_run(device.get(), table.get(), 0, 3, bases, 2, HALO_COPY_MOVE, 0, nullptr), HALO_ERR_ARGUMENT);
    EXPECT_NE(device.report().find("row 2"), std::string::npos);
    EXPECT_EQ(work.to[0], -1.0);
    EXPECT_EQ(device.ops().table_run(device.get(), table.get(), 0, 2, bases, 2, HALO_COPY_MOVE, 0, nullptr), HALO_SUCCESS);
    EXPECT_EQ(work.to, (std::vector<double>{ 0, 1, -1 }));
}

TEST(Operations, TablesThatCannotBe) {
    const HostDevice device;
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
    const HostTable good(device, work.shapes, work.rows);
    EXPECT_EQ(device.ops().table_patch(device.get(), good.get(), 0, 1, &row), HALO_ERR_ARGUMENT);
    const HostTable empty(device, {}, {});
    empty.run({});
}

TEST(Operations, RunsAllocateNothing) {
    const HostDevice device;
    Random random(8);
    RandomTable table(random, {}, 60, 2);
    const HostTable mine(device, table.shapes(), table.rows());
    const std::vector<void *> bases = table.bases();
    std::vector<uint8_t> non_null(static_cast<size_t>(mine.n_rows()));
    const halo_null_test test{ HALO_BYTES, 0, 0.0 };
    const auto n_bases = static_cast<int64_t>(bases.size());
    const int64_t before = allocations();
    halo_status status = device.ops().table_run(device.get(), mine.get(), 0, mine.n_rows(), bases.data(), n_bases, HALO_COPY_MOVE, 0, nullptr);
    status |= device.ops().table_test(device.get(), mine.get(), 0, mine.n_rows(), bases.data(), n_bases, &test, non_null.data(), nullptr);
    status |= device.ops().table_run_tested(device.get(), mine.get(), 0, mine.n_rows(), bases.data(), n_bases, &test, non_null.data(), nullptr);
    status |= device.ops().table_patch(device.get(), mine.get(), 0, mine.n_rows(), table.rows().data());
    const int64_t after = allocations();
    EXPECT_EQ(status, HALO_SUCCESS);
    EXPECT_GT(before, 0);
    EXPECT_EQ(after - before, 0);
}

} // namespace
