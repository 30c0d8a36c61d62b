// SPDX-License-Identifier: BSD-3-Clause
// What the host device alone promises: memory, copies, fills and events, and that runs allocate nothing.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "allocations.h"
#include "host.h"
#include "random_table.h"
#include "tested_device.h"

namespace {

using namespace halo::test;

TEST(Host, DescribesItself) {
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

TEST(Host, MemoryIsAligned) {
    const TestedDevice device;
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

TEST(Host, MemoryThatThereIsNot) {
    const TestedDevice device;
    int there = 0;
    void *pointer = &there;
    EXPECT_EQ(device.ops().allocate(device.get(), HALO_MEMORY_DEVICE, 10, &pointer), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.ops().allocate(device.get(), HALO_MEMORY_HOST, SIZE_MAX, &pointer), HALO_ERR_MEMORY);
    EXPECT_NE(device.report().find(std::to_string(SIZE_MAX)), std::string::npos);
    EXPECT_EQ(pointer, &there);
}

TEST(Host, CopyAndFill) {
    const TestedDevice device;
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

TEST(Host, EventsAreDoneAtOnce) {
    const TestedDevice device;
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

TEST(Host, RunsAllocateNothing) {
    const TestedDevice device;
    Random random(8);
    RandomTable table(random, {}, 60, 2);
    const TestedTable mine(device, table.shapes(), table.rows());
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
