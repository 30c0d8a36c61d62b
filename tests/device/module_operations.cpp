// SPDX-License-Identifier: BSD-3-Clause
// What a device with memory of its own promises besides tables: memory, copies, fills, events.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>
#include <vector>

#include "tested_device.h"

namespace {

using namespace halo::test;

class Memory {
public:
    Memory(const TestedDevice &device, size_t bytes, int32_t kind = HALO_MEMORY_DEVICE) : device_(device), kind_(kind), bytes_(bytes) {
        EXPECT_EQ(device.ops().allocate(device.get(), kind, bytes, &pointer_), HALO_SUCCESS) << device.report();
    }
    ~Memory() { device_.ops().release(device_.get(), kind_, pointer_, bytes_); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    unsigned char *data() const { return static_cast<unsigned char *>(pointer_); }
    void write(const void *from) const {
        EXPECT_EQ(device_.ops().copy(device_.get(), pointer_, from, bytes_, HALO_STREAM_NONE), HALO_SUCCESS) << device_.report();
    }
    std::vector<unsigned char> read() const {
        std::vector<unsigned char> values(bytes_, 98);
        EXPECT_EQ(device_.ops().copy(device_.get(), values.data(), pointer_, bytes_, HALO_STREAM_NONE), HALO_SUCCESS) << device_.report();
        return values;
    }

private:
    const TestedDevice &device_;
    int32_t kind_;
    size_t bytes_;
    void *pointer_ = nullptr;
};

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

TEST(Module, MemoryIsAligned) {
    const TestedDevice device;
    for (const int32_t memory : { HALO_MEMORY_DEVICE, HALO_MEMORY_PINNED })
        for (const size_t bytes : { size_t{ 0 }, size_t{ 1 }, size_t{ 64 }, size_t{ 1000 }, size_t{ 1 } << 20 }) {
            const Memory one(device, bytes, memory);
            ASSERT_NE(one.data(), nullptr);
            EXPECT_EQ(reinterpret_cast<uintptr_t>(one.data()) % 64, 0U);
            if (memory == HALO_MEMORY_PINNED) std::memset(one.data(), 1, bytes);
        }
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

TEST(Module, CopyAndFill) {
    const TestedDevice device;
    unsigned char value[16];
    std::iota(value, value + 16, static_cast<unsigned char>(3));
    for (size_t bytes = 1; bytes <= 16; ++bytes)
        for (const int64_t n : { 0, 1, 2, 3, 7, 100, 5000 }) {
            const size_t total = bytes * static_cast<size_t>(n);
            const Memory filled(device, total + 1), copied(device, total + 1);
            filled.write(std::vector<unsigned char>(total + 1, 99).data());
            ASSERT_EQ(device.ops().fill(device.get(), filled.data(), value, bytes, n, nullptr), HALO_SUCCESS) << device.report();
            ASSERT_EQ(device.ops().copy(device.get(), copied.data(), filled.data(), total + 1, nullptr), HALO_SUCCESS);
            const std::vector<unsigned char> found = copied.read();
            for (size_t i = 0; i < total; ++i) ASSERT_EQ(found[i], value[i % bytes]) << i << " of values of " << bytes << " bytes";
            EXPECT_EQ(found[total], 99);
        }
    EXPECT_EQ(device.ops().copy(device.get(), nullptr, nullptr, 0, nullptr), HALO_SUCCESS);
    for (const auto &[bytes, n] : { std::pair<size_t, int64_t>{ 0, 1 }, { 17, 1 }, { 1, -1 } })
        EXPECT_EQ(device.ops().fill(device.get(), value, value, bytes, n, nullptr), HALO_ERR_ARGUMENT);
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
    const Memory from(device, n), to(device, n, HALO_MEMORY_PINNED);
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
