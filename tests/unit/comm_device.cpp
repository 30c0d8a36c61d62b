// SPDX-License-Identifier: BSD-3-Clause
// A device whose table of operations is an older one; memory that others may have open.
#include <cstddef>

#include <gtest/gtest.h>

#include "comm/device.h"
#include "comm/device_ipc.h"
#include "expect_failure.h"

extern "C" const halo_device_plugin halo_device_host;

namespace halo {
namespace {

TEST(Device, NothingIsReadBehindAnOlderTable) {
    halo_device_ops ops = *halo_device_host.ops;
    ops.struct_size = offsetof(halo_device_ops, ranges_run);
    ops.ranges_run = [](halo_device *, const halo_copy_range *, int64_t, halo_stream) { return HALO_ERR_DEVICE; };
    halo_device_plugin plugin = halo_device_host;
    plugin.ops = &ops;
    const halo_host services{};
    const std::string report;
    const Device device(plugin, services, 0, report);
    EXPECT_EQ(device.ops().table_run_tested, halo_device_host.ops->table_run_tested);
    EXPECT_EQ(device.ops().ranges_run, nullptr);
}

bool is_full = false;

// What others may have open goes to whoever can use it, where the device has no more.
TEST(DeviceIpc, WhatIsKeptIsGivenThoughItIsLarger) {
    halo_ipc_ops ipc{};
    ipc.export_memory = [](halo_device *, void *, halo_ipc_handle *) { return HALO_SUCCESS; };
    halo_device_ops ops = *halo_device_host.ops;
    ops.allocate = [](halo_device *device, int32_t memory, size_t bytes, void **pointer) {
        return is_full ? HALO_ERR_MEMORY : halo_device_host.ops->allocate(device, memory, bytes, pointer);
    };
    halo_device_plugin plugin = halo_device_host;
    plugin.ops = &ops;
    plugin.ipc = &ipc;
    const halo_host services{};
    const std::string report;
    const Device device(plugin, services, 0, report);
    DeviceIpc memory(device);
    constexpr size_t sizes[] = { 256, 1024, 512 };
    void *blocks[3] = {};
    for (const size_t i : { 0u, 1u, 2u }) {
        blocks[i] = memory.allocate(HALO_MEMORY_HOST, sizes[i]);
        ASSERT_NE(memory.locate(blocks[i]).number, 0u);
    }
    for (const size_t i : { 0u, 1u, 2u }) memory.release(HALO_MEMORY_HOST, blocks[i], sizes[i]);
    is_full = true;
    EXPECT_EQ(memory.allocate(HALO_MEMORY_HOST, 2048), nullptr);
    EXPECT_EQ(memory.allocate(HALO_MEMORY_HOST, 300), blocks[2]);
    EXPECT_EQ(memory.allocate(HALO_MEMORY_HOST, 300), blocks[1]);
    EXPECT_EQ(memory.allocate(HALO_MEMORY_HOST, 300), nullptr);
    memory.release(HALO_MEMORY_HOST, blocks[1], 300);
    EXPECT_EQ(memory.allocate(HALO_MEMORY_HOST, 1024), blocks[1]);
    for (const size_t i : { 1u, 2u }) memory.release(HALO_MEMORY_HOST, blocks[i], sizes[i]);
    is_full = false;
}

halo_status opening = HALO_SUCCESS;

// What a device does not reach is not tried again; a failure of another kind is the caller's, who may try again.
TEST(DeviceIpc, MemoryThatCannotBeOpenedIsOutOfReach) {
    halo_ipc_ops ipc{};
    ipc.open_memory = [](halo_device *, const halo_ipc_handle *, void **) { return opening; };
    ipc.close_memory = [](halo_device *, void *) {};
    halo_device_plugin plugin = halo_device_host;
    plugin.ipc = &ipc;
    const halo_host services{};
    const std::string report = "as told";
    const Device device(plugin, services, 0, report);
    DeviceIpc memory(device);
    DeviceOffer offer;
    offer.number = 1;
    opening = HALO_ERR_MEMORY;
    expect_failure(HALO_ERR_MEMORY, { "as told" }, [&] { memory.open(offer); });
    opening = HALO_SUCCESS;
    EXPECT_NE(memory.open(offer), nullptr);
    offer.number = 2;
    opening = HALO_ERR_DEVICE;
    EXPECT_EQ(memory.open(offer), nullptr);
    opening = HALO_SUCCESS;
    EXPECT_EQ(memory.open(offer), nullptr);
}

} // namespace
} // namespace halo
