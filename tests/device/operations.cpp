// SPDX-License-Identifier: BSD-3-Clause
// Memory, copies and fills, of whatever kinds of memory the device has.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "device_memory.h"

namespace {

using namespace halo::test;

// The one that it works in comes last.
std::vector<int32_t> kinds() {
    std::vector<int32_t> all;
    for (const int32_t kind : { HALO_MEMORY_HOST, HALO_MEMORY_PINNED, HALO_MEMORY_DEVICE })
        if ((tested_plugin().memory_kinds >> kind & 1U) != 0) all.push_back(kind);
    return all;
}

TEST(Operations, MemoryIsAligned) {
    const TestedDevice device;
    for (const int32_t memory : kinds())
        for (const size_t bytes : { size_t{ 0 }, size_t{ 1 }, size_t{ 64 }, size_t{ 1000 }, size_t{ 1 } << 20 }) {
            const Memory one(device, bytes, memory);
            ASSERT_NE(one.data(), nullptr);
            EXPECT_EQ(reinterpret_cast<uintptr_t>(one.data()) % 64, 0U);
            if (memory != HALO_MEMORY_DEVICE) std::memset(one.data(), 1, bytes);
        }
}

TEST(Operations, CopyAndFill) {
    const TestedDevice device;
    unsigned char value[16];
    std::iota(value, value + 16, static_cast<unsigned char>(3));
    for (size_t bytes = 1; bytes <= 16; ++bytes)
        for (const int64_t n : { 0, 1, 2, 3, 7, 100, 5000 }) {
            const size_t total = bytes * static_cast<size_t>(n);
            const Memory filled(device, total + 1, kinds().back()), copied(device, total + 1, kinds().back());
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

} // namespace
