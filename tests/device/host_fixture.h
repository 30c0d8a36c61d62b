// SPDX-License-Identifier: BSD-3-Clause
// An open host device with services that remember what they were told.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host.h"

namespace halo::test {

class HostDevice {
public:
    explicit HostDevice(const char *threads = "1");
    ~HostDevice();
    HostDevice(const HostDevice &) = delete;
    HostDevice &operator=(const HostDevice &) = delete;

    const halo_device_ops &ops() const { return *halo_device_host.ops; }
    halo_device *get() const { return device_; }
    const std::string &report() const { return report_; } // the last text
    const std::vector<std::string> &log() const { return log_; }

private:
    std::string threads_, report_;
    std::vector<std::string> log_;
    halo_host services_{};
    halo_device *device_ = nullptr;
};

// A table that is destroyed with its owner. Every operation is expected to succeed.
class HostTable {
public:
    HostTable(const HostDevice &device, const std::vector<halo_copy_shape> &shapes, const std::vector<halo_copy_row> &rows);
    HostTable(const HostDevice &device, const halo_copy_program &program);
    ~HostTable();
    HostTable(const HostTable &) = delete;
    HostTable &operator=(const HostTable &) = delete;

    halo_copy_table *get() const { return table_; }
    int64_t n_rows() const { return n_rows_; }
    void run(const std::vector<void *> &bases, int32_t op = HALO_COPY_MOVE, halo_type type = 0) const;
    std::vector<uint8_t> test(const std::vector<void *> &bases, halo_type type, double threshold) const;
    std::vector<uint8_t> run_tested(const std::vector<void *> &bases, halo_type type, double threshold) const;

private:
    const HostDevice &device_;
    int64_t n_rows_;
    halo_copy_table *table_ = nullptr;
};

} // namespace halo::test
