// SPDX-License-Identifier: BSD-3-Clause
// An open late device, its memory and tables.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "late.h"

namespace halo::test {

class LateDevice {
public:
    explicit LateDevice(uint64_t seed = 1, int32_t microseconds = 200) {
        late_configure(seed, microseconds);
        services_.struct_size = sizeof services_;
        services_.core = this;
        services_.report = [](void *core, const char *text) { static_cast<LateDevice *>(core)->report = text; };
        EXPECT_EQ(ops().open(&services_, 0, &device_), HALO_SUCCESS);
    }
    ~LateDevice() { ops().close(device_); }
    LateDevice(const LateDevice &) = delete;
    LateDevice &operator=(const LateDevice &) = delete;

    static const halo_device_ops &ops() { return *halo_device_late.ops; }
    halo_device *get() const { return device_; }
    halo_stream stream() const {
        halo_stream stream = nullptr;
        EXPECT_EQ(late_stream_create(device_, &stream), HALO_SUCCESS);
        return stream;
    }
    void synchronize(halo_stream stream = HALO_STREAM_NONE) const { late_stream_synchronize(device_, stream); }
    late_counts counts() const { return late_count(device_); }

    std::string report; // the last text

private:
    halo_host services_{};
    halo_device *device_ = nullptr;
};

/// Memory of one kind.
class Block {
public:
    Block(const LateDevice &device, size_t bytes, int32_t kind = HALO_MEMORY_DEVICE) : device_(device), kind_(kind), bytes_(bytes) {
        EXPECT_EQ(LateDevice::ops().allocate(device.get(), kind, bytes, &pointer_), HALO_SUCCESS) << device.report;
    }
    ~Block() { LateDevice::ops().release(device_.get(), kind_, pointer_, bytes_); }
    Block(const Block &) = delete;
    Block &operator=(const Block &) = delete;

    void *get() const { return pointer_; }
    void write(const void *from, halo_stream stream = HALO_STREAM_NONE) const {
        EXPECT_EQ(LateDevice::ops().copy(device_.get(), pointer_, from, bytes_, stream), HALO_SUCCESS);
    }
    std::vector<unsigned char> read(halo_stream stream = HALO_STREAM_NONE) const {
        std::vector<unsigned char> values(bytes_);
        EXPECT_EQ(LateDevice::ops().copy(device_.get(), values.data(), pointer_, bytes_, stream), HALO_SUCCESS);
        return values;
    }

private:
    const LateDevice &device_;
    int32_t kind_;
    size_t bytes_;
    void *pointer_ = nullptr;
};

class LateTable {
public:
    LateTable(const LateDevice &device, const std::vector<halo_copy_shape> &shapes, const std::vector<halo_copy_row> &rows)
        : device_(device),
          n_rows(static_cast<int64_t>(rows.size())) {
        const halo_copy_program program{ sizeof program, shapes.data(), static_cast<int64_t>(shapes.size()), rows.data(), n_rows, nullptr, 0 };
        EXPECT_EQ(LateDevice::ops().table_create(device.get(), &program, &table_), HALO_SUCCESS) << device.report;
    }
    ~LateTable() { LateDevice::ops().table_destroy(device_.get(), table_); }
    LateTable(const LateTable &) = delete;
    LateTable &operator=(const LateTable &) = delete;

    halo_copy_table *get() const { return table_; }
    halo_status run(const std::vector<void *> &bases, halo_stream stream = HALO_STREAM_NONE, int32_t op = HALO_COPY_MOVE, halo_type type = 0) const {
        return LateDevice::ops().table_run(device_.get(), table_, 0, n_rows, bases.data(), static_cast<int64_t>(bases.size()), op, type, stream);
    }

private:
    const LateDevice &device_;
    halo_copy_table *table_ = nullptr;

public:
    const int64_t n_rows;
};

/// A row of `n` doubles from base 0 to base 1.
inline std::vector<halo_copy_shape> line(uint32_t n) {
    halo_copy_shape shape{};
    shape.n_pieces = 1, shape.element_bytes = 8;
    shape.n[0] = shape.n[1] = shape.n[2] = 1;
    shape.run[0] = n;
    shape.dst_step = shape.src_step[0] = 8;
    return { shape };
}
inline const std::vector<halo_copy_row> one_row{ { 0, 1, { 0, UINT32_MAX, UINT32_MAX }, 0, 0, { 0, 0, 0 } } };

} // namespace halo::test
