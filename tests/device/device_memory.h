// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "tested_device.h"

namespace halo::test {

// Of a kind that the device has.
class Memory {
public:
    Memory(const TestedDevice &device, size_t bytes, int32_t kind) : device_(device), kind_(kind), bytes_(bytes) {
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

} // namespace halo::test
