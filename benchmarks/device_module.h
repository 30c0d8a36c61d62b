// SPDX-License-Identifier: BSD-3-Clause
// A module of libhalo for a device, used as its core does, and what lives there.
#pragma once

#include <halo_plugin.h>

#include <cstddef>
#include <stdexcept>
#include <string>
#include <vector>

namespace bench {

// A device has not so much memory.
struct NoMemory : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class DeviceModule {
public:
    // That of the library which this program uses. `context`: the setting device.context, "": none. Throws if it is not there, or cannot be used.
    DeviceModule(const std::string &name, std::string context);
    ~DeviceModule();
    DeviceModule(const DeviceModule &) = delete;
    DeviceModule &operator=(const DeviceModule &) = delete;

    const halo_device_ops &ops() const { return ops_; }
    halo_device *get() const { return device_; }
    const std::string &what() const { return what_; }
    void check(halo_status status) const;
    // Of the last failure.
    const std::string &report() const { return report_; }
    // The host waits for what is in the stream.
    void complete(halo_stream stream) const;

private:
    const std::string context_;
    std::string what_, report_;
    halo_host services_{};
    halo_device_ops ops_{};
    halo_device *device_ = nullptr;
    halo_event *event_ = nullptr;
};

// Memory of the device.
class DeviceMemory {
public:
    DeviceMemory(const DeviceModule &module, size_t bytes);
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory &) = delete;
    DeviceMemory &operator=(const DeviceMemory &) = delete;

    double *data() const { return static_cast<double *>(pointer_); }
    void *get() const { return pointer_; }
    // All of it, until it is there.
    void upload(const void *from, halo_stream stream) const;
    void download(void *to, halo_stream stream) const;

private:
    const DeviceModule &module_;
    size_t bytes_;
    void *pointer_ = nullptr;
};

class DeviceTable {
public:
    DeviceTable(const DeviceModule &module, const std::vector<halo_copy_shape> &shapes, const std::vector<halo_copy_row> &rows,
                const std::vector<uint32_t> &indices = {});
    ~DeviceTable();
    DeviceTable(const DeviceTable &) = delete;
    DeviceTable &operator=(const DeviceTable &) = delete;

    // All rows.
    halo_copy_range range(const std::vector<void *> &bases) const;
    // In one launch; in one for each row.
    void run(const std::vector<void *> &bases, halo_stream stream) const;
    void run_row_by_row(const std::vector<void *> &bases, halo_stream stream) const;

private:
    const DeviceModule &module_;
    int64_t n_rows_;
    halo_copy_table *table_ = nullptr;
};

// Launches that go together, as the module records them.
class DeviceGraph {
public:
    explicit DeviceGraph(const DeviceModule &module);
    ~DeviceGraph();
    DeviceGraph(const DeviceGraph &) = delete;
    DeviceGraph &operator=(const DeviceGraph &) = delete;

    // Why the module records nothing; "": it does.
    const std::string &lacks() const { return lacks_; }
    // One launch for each of the ranges. HALO_STEPS_...: how.
    int32_t run(const std::vector<halo_copy_range> &ranges, halo_stream stream);

private:
    const DeviceModule &module_;
    halo_graphs *graphs_ = nullptr;
    std::string lacks_;
    std::vector<halo_device_step> steps_;
};

} // namespace bench
