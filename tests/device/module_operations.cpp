// SPDX-License-Identifier: BSD-3-Clause
// What a device with memory of its own promises besides: what there is not, and events.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "device_memory.h"

namespace {

using namespace halo::test;

TEST(Module, DescribesItself) {
    const halo_device_plugin &plugin = tested_plugin();
    EXPECT_EQ(plugin.copy_layout, static_cast<uint32_t>(HALO_COPY_LAYOUT));
    EXPECT_EQ(plugin.memory_kinds, 1U << HALO_MEMORY_DEVICE | 1U << HALO_MEMORY_PINNED);
    const TestedDevice services;
    halo_host quiet{};
    halo_device *device = nullptr;
    for (const int32_t ordinal : { -1, 1000 }) EXPECT_EQ(plugin.ops->open(&quiet, ordinal, &device), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device, nullptr);
}

TEST(Module, MemoryThatThereIsNot) {
    const TestedDevice device;
    int there = 0;
    void *pointer = &there;
    EXPECT_EQ(device.ops().allocate(device.get(), HALO_MEMORY_HOST, 10, &pointer), HALO_ERR_ARGUMENT);
    EXPECT_EQ(device.ops().allocate(device.get(), HALO_MEMORY_DEVICE, SIZE_MAX / 4, &pointer), HALO_ERR_MEMORY);
    EXPECT_NE(device.report().find(std::to_string(SIZE_MAX / 4)), std::string::npos) << device.report();
    EXPECT_EQ(pointer, &there);
}

// From its first byte to its last. It may say nothing of what the host has allocated, but not that the host does not reach it.
TEST(Module, KnowsWhoseMemoryAPointerLeadsTo) {
    const TestedDevice device;
    constexpr size_t n = 4096;
    const Memory own(device, n, HALO_MEMORY_DEVICE), pinned(device, n, HALO_MEMORY_PINNED);
    const std::vector<unsigned char> plain(n);
    const auto kind_of = [&](const void *pointer) {
        int32_t kind = -1, ordinal = -1;
        EXPECT_EQ(device.ops().pointer_kind(device.get(), pointer, &kind, &ordinal), HALO_SUCCESS) << device.report();
        return std::pair(kind, ordinal);
    };
    for (const size_t at : { size_t{ 0 }, size_t{ 1001 }, n - 1 }) {
        EXPECT_EQ(kind_of(own.data() + at), std::pair(HALO_POINTER_DEVICE, 0)) << at;
        EXPECT_EQ(kind_of(pinned.data() + at).first, HALO_POINTER_BOTH) << at;
        EXPECT_NE(kind_of(plain.data() + at).first, HALO_POINTER_DEVICE) << at;
    }
}

TEST(Module, TellsHowManyDevicesThereAre) {
    const halo_host quiet{};
    const int32_t n = tested_plugin().count(&quiet);
    EXPECT_GE(n, 1);
    halo_device *device = nullptr;
    EXPECT_EQ(tested_plugin().ops->open(&quiet, n, &device), HALO_ERR_ARGUMENT);
}

bool fires(const TestedDevice &device, halo_event *event) {
    for (int tries = 0; tries < 10000; ++tries) {
        int32_t done = 0;
        EXPECT_EQ(device.ops().event_query(device.get(), event, &done), HALO_SUCCESS) << device.report();
        if (done) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

// Without a call that waits: asking is enough. What is in the host's pinned memory is there then.
TEST(Module, EventsTellWhatIsDone) {
    const TestedDevice device;
    constexpr size_t n = 1 << 16;
    const Memory from(device, n, HALO_MEMORY_DEVICE), to(device, n, HALO_MEMORY_PINNED);
    std::memset(to.data(), 0, n);
    halo_event *event = nullptr;
    ASSERT_EQ(device.ops().event_create(device.get(), &event), HALO_SUCCESS);
    EXPECT_TRUE(fires(device, event)) << "nothing has been recorded";
    EXPECT_EQ(device.ops().event_wait(device.get(), event, nullptr), HALO_SUCCESS) << "nothing has been recorded";
    for (unsigned char value = 1; value <= 3; ++value) {
        ASSERT_EQ(device.ops().fill(device.get(), from.data(), &value, 1, n, nullptr), HALO_SUCCESS) << device.report();
        ASSERT_EQ(device.ops().copy(device.get(), to.data(), from.data(), n, nullptr), HALO_SUCCESS);
        ASSERT_EQ(device.ops().event_record(device.get(), event, nullptr), HALO_SUCCESS);
        ASSERT_EQ(device.ops().event_wait(device.get(), event, nullptr), HALO_SUCCESS);
        ASSERT_TRUE(fires(device, event));
        EXPECT_EQ(to.data()[0], value);
        EXPECT_EQ(to.data()[n - 1], value);
    }
    device.ops().event_destroy(device.get(), event);
}

} // namespace
