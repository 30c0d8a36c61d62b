// SPDX-License-Identifier: BSD-3-Clause
// What the host device alone promises: events that are done at once, and that runs allocate nothing.
#include <gtest/gtest.h>

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

TEST(Host, MemoryThatThereIsNot) {
    const TestedDevice device;
    int there = 0;
    void *pointer = &there;
    EXPECT_EQ(device.ops().allocate(device.get(), HALO_MEMORY_DEVICE, 10, &pointer), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.ops().allocate(device.get(), HALO_MEMORY_HOST, SIZE_MAX, &pointer), HALO_ERR_MEMORY);
    EXPECT_NE(device.report().find(std::to_string(SIZE_MAX)), std::string::npos);
    EXPECT_EQ(pointer, &there);
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
