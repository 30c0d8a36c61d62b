// SPDX-License-Identifier: BSD-3-Clause
// The device of tests whose storage is on one: the late one, or with CONFORMANCE_DEVICE=opencl, cuda or hip the module of that name. What a program
// has from a vendor's runtime: streams, and copies between the host and the device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "late.h"
#include "ranks.h"

namespace conformance {

class TestDevice {
public:
    virtual ~TestDevice() = default;

    virtual const halo_device_plugin &plugin() const = 0;
    // Of contexts that have it.
    virtual const Settings &settings() const = 0;
    // Of the calling thread: the device of `memory`, which its context has given. Until `leave`.
    virtual halo_device *enter(void *memory) = 0;
    virtual void leave() = 0;

    // The null stream is the device's own.
    virtual halo_stream create_stream(halo_device *device) = 0;
    virtual void destroy_stream(halo_device *device, halo_stream stream) = 0;
    virtual void synchronize(halo_device *device, halo_stream stream) = 0;
    // One operation in a stream; memory of the host is read before it returns, or written.
    virtual void copy(halo_device *device, const std::vector<late_piece> &pieces, halo_stream stream) = 0;

    // A line about what it has done; false: nothing.
    virtual bool print_counts() const = 0;
};

TestDevice &test_device();

} // namespace conformance
