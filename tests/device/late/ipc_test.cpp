// SPDX-License-Identifier: BSD-3-Clause
// Memory and events of the late device that another instance opens, of this process.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "fixture.h"

namespace {

using namespace halo::test;

const halo_ipc_ops &ipc() { return *halo_device_late.ipc; }

halo_ipc_handle handle_of(const LateDevice &device, const Block &block) {
    halo_ipc_handle handle{};
    EXPECT_EQ(ipc().export_memory(device.get(), block.get(), &handle), HALO_SUCCESS) << device.report;
    return handle;
}

TEST(LateIpc, OneWritesWhereTheOtherReads) {
    const LateDevice mine(1), other(2);
    const Block block(mine, 200), of_other(other, 200);
    const halo_ipc_handle handle = handle_of(mine, block);
    void *opened = nullptr;
    ASSERT_EQ(ipc().open_memory(other.get(), &handle, &opened), HALO_SUCCESS) << other.report;
    EXPECT_NE(opened, block.get());
    const std::vector<unsigned char> values(200, 7);
    of_other.write(values.data());
    EXPECT_EQ(LateDevice::ops().copy(other.get(), opened, of_other.get(), 200, HALO_STREAM_NONE), HALO_SUCCESS);
    other.synchronize();
    EXPECT_EQ(block.read(), values);
    EXPECT_EQ(other.counts().opened, 1);
    EXPECT_EQ(mine.counts().exported, 1);
    ipc().close_memory(other.get(), opened);
    EXPECT_EQ(other.counts().opened, 0);
}

TEST(LateIpc, NothingIsForgiven) {
    LateDevice mine(1), other(2);
    halo_ipc_handle handle{}, gone{};
    void *opened = nullptr, *again = nullptr;
    {
        const Block block(mine, 64);
        handle = handle_of(mine, block);
        EXPECT_EQ(ipc().export_memory(mine.get(), static_cast<char *>(block.get()) + 8, &gone), HALO_ERR_DEVICE);
        EXPECT_NE(mine.report.find("no memory of the late device begins at"), std::string::npos) << mine.report;
        ASSERT_EQ(ipc().open_memory(other.get(), &handle, &opened), HALO_SUCCESS) << other.report;
        EXPECT_EQ(ipc().open_memory(other.get(), &handle, &again), HALO_ERR_DEVICE);
        EXPECT_NE(other.report.find("has it open already"), std::string::npos) << other.report;
    }
    EXPECT_EQ(mine.counts().freed_open, 1);
    EXPECT_EQ(mine.counts().exported, 0);
    ipc().close_memory(other.get(), opened);
    EXPECT_EQ(ipc().open_memory(other.get(), &handle, &again), HALO_ERR_DEVICE); // it has been given back
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(ipc().close_memory(other.get(), opened), "");
}

// What stands before the event has been done when the other one's stream goes on, and what was recorded later is not waited for.
TEST(LateIpc, AStreamWaitsForAnEventOfAnother) {
    constexpr int32_t late_enough = 5000, later = 200000; // microseconds
    for (uint64_t seed = 1; seed <= 5; ++seed) {
        const LateDevice mine(seed), other(seed + 100);
        const Block block(mine, 8), source(mine, 8), elsewhere(mine, 8), of_other(other, 8);
        halo_event *event = nullptr, *theirs = nullptr;
        halo_ipc_handle handle{};
        ASSERT_EQ(ipc().export_event(mine.get(), &event, &handle), HALO_SUCCESS) << mine.report;
        ASSERT_EQ(ipc().open_event(other.get(), &handle, &theirs), HALO_SUCCESS) << other.report;
        const halo_ipc_handle memory = handle_of(mine, block);
        void *opened = nullptr;
        ASSERT_EQ(ipc().open_memory(other.get(), &memory, &opened), HALO_SUCCESS) << other.report;
        const LateTable table(mine, line(1), one_row);
        const auto launch_and_record = [&](const Block &to, int32_t delay) {
            void *const bases[] = { source.get(), to.get() };
            halo_copy_range range{};
            range.table = table.get(), range.n = 1, range.bases = bases, range.n_bases = 2;
            late_delay_launch(mine.get(), 0, delay);
            EXPECT_EQ(LateDevice::ops().ranges_run(mine.get(), &range, 1, HALO_STREAM_NONE), HALO_SUCCESS) << mine.report;
            EXPECT_EQ(LateDevice::ops().event_record(mine.get(), event, HALO_STREAM_NONE), HALO_SUCCESS);
        };
        int32_t done = 1;
        for (double value = 1; value <= 3; ++value) {
            source.write(&value);
            launch_and_record(block, late_enough);
            EXPECT_EQ(LateDevice::ops().event_wait(other.get(), theirs, HALO_STREAM_NONE), HALO_SUCCESS);
            if (value == 3) launch_and_record(elsewhere, later);
            EXPECT_EQ(LateDevice::ops().copy(other.get(), of_other.get(), opened, 8, HALO_STREAM_NONE), HALO_SUCCESS);
            double seen = 0;
            std::memcpy(&seen, of_other.read().data(), 8);
            EXPECT_EQ(seen, value);
            if (value == 3) {
                EXPECT_EQ(LateDevice::ops().event_query(mine.get(), event, &done), HALO_SUCCESS);
            }
            mine.synchronize();
        }
        EXPECT_EQ(done, 0);
        EXPECT_EQ(LateDevice::ops().event_query(other.get(), theirs, &done), HALO_ERR_STATE);
        EXPECT_EQ(mine.counts().events, 1);
        LateDevice::ops().event_destroy(other.get(), theirs);
        LateDevice::ops().event_destroy(mine.get(), event);
        EXPECT_EQ(mine.counts().events + other.counts().events, 0);
        ipc().close_memory(other.get(), opened);
    }
}

} // namespace
