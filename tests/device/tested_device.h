// SPDX-License-Identifier: BSD-3-Clause
// The device that is tested, open, with services that remember what they were told; tables on it. Values of tests are the host's: a device with
// memory of its own works on copies of what a table reaches, which come back.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "halo_plugin.h"

namespace halo::test {

// Of this program: the host's, or a module that main has loaded.
const halo_device_plugin &tested_plugin();
// Of the module; "": the host's.
const char *tested_file();

class TestedDevice {
public:
    explicit TestedDevice(const char *threads = "1"); // of the host device
    ~TestedDevice();
    TestedDevice(const TestedDevice &) = delete;
    TestedDevice &operator=(const TestedDevice &) = delete;

    const halo_device_ops &ops() const { return *tested_plugin().ops; }
    halo_device *get() const { return device_; }
    const std::string &report() const { return report_; } // the last text
    const std::vector<std::string> &log() const { return log_; }

private:
    std::string threads_, report_;
    std::vector<std::string> log_;
    halo_host services_{};
    halo_device *device_ = nullptr;
};

// A table that is destroyed with its owner.
class TestedTable {
public:
    TestedTable(const TestedDevice &device, const std::vector<halo_copy_shape> &shapes, const std::vector<halo_copy_row> &rows);
    TestedTable(const TestedDevice &device, const halo_copy_program &program);
    ~TestedTable();
    TestedTable(const TestedTable &) = delete;
    TestedTable &operator=(const TestedTable &) = delete;

    halo_copy_table *get() const { return table_; }
    int64_t n_rows() const { return static_cast<int64_t>(rows_.size()); }

    halo_status run_rows(int64_t first, int64_t n, const std::vector<void *> &bases, int32_t op = HALO_COPY_MOVE, halo_type type = 0) const;
    halo_status test_rows(int64_t first, int64_t n, const std::vector<void *> &bases, const halo_null_test &test, uint8_t *non_null) const;
    // Where the device has no such operation, the one after the other.
    halo_status run_tested_rows(int64_t first, int64_t n, const std::vector<void *> &bases, const halo_null_test &test, uint8_t *non_null) const;
    halo_status patch(int64_t first, int64_t n, const halo_copy_row *rows);

    // All rows, which is expected to succeed.
    void run(const std::vector<void *> &bases, int32_t op = HALO_COPY_MOVE, halo_type type = 0) const;
    std::vector<uint8_t> test(const std::vector<void *> &bases, halo_type type, double threshold) const;
    std::vector<uint8_t> run_tested(const std::vector<void *> &bases, halo_type type, double threshold) const;

private:
    friend class Copied;

    const TestedDevice &device_;
    std::vector<halo_copy_shape> shapes_;
    std::vector<halo_copy_row> rows_;
    std::vector<uint32_t> indices_;
    halo_copy_table *table_ = nullptr;
};

// What some rows of a table reach, where the device reaches it. `write_back` brings what they write to where it belongs, when the device's own stream
// has come there.
class Copied {
public:
    Copied(const TestedTable &table, int64_t first, int64_t n, const std::vector<void *> &bases);
    ~Copied();
    Copied(const Copied &) = delete;
    Copied &operator=(const Copied &) = delete;

    void *const *bases() const { return bases_.data(); }
    int64_t n_bases() const { return static_cast<int64_t>(bases_.size()); }
    void write_back();

private:
    struct Extent {
        int64_t low = INT64_MAX, high = INT64_MIN; // from the base on
        bool written = false;
        size_t place = 0; // in the copy
    };
    void add(size_t base, int64_t offset, const int64_t *stride, const uint32_t *n, int64_t step, uint32_t run, const uint32_t *list, int64_t bytes,
             bool writes);

    const TestedTable &table_;
    std::vector<void *> given_, bases_;
    std::vector<Extent> extents_;
    std::vector<unsigned char> staging_;
    void *on_device_ = nullptr;
};

} // namespace halo::test
