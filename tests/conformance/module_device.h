// SPDX-License-Identifier: BSD-3-Clause
// Devices of tests that are modules of libhalo, and what their vendors' runtimes bring besides.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "test_device.h"

namespace conformance {

// The module is in `file`. Instances of the core's and the one that a thread has here share memory and the device's own stream.
class ModuleDevice : public TestDevice {
public:
    ModuleDevice(const char *name, const char *file, Settings more);

    const halo_device_plugin &plugin() const override { return *plugin_; }
    const Settings &settings() const override { return settings_; }
    halo_device *enter(void *memory) override;
    void leave() override;
    bool print_counts() const override;

protected:
    void count_copy() { ++n_copies_; }

private:
    Settings settings_;
    const halo_device_plugin *plugin_ = nullptr;
    halo_host services_{};
    std::string what_; // its query's answer
    std::atomic<int64_t> n_copies_{ 0 };
};

// Ends the program with the status of a test that was skipped where the device cannot be used.
std::unique_ptr<TestDevice> make_opencl_device(const char *file);
std::unique_ptr<TestDevice> make_cuda_device(const char *file);
std::unique_ptr<TestDevice> make_hip_device(const char *file);

} // namespace conformance
