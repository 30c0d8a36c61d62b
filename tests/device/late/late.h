// SPDX-License-Identifier: BSD-3-Clause
// A device that forgives nothing: the host cannot touch its memory, work is done late by a thread of each stream, events fire later still, and it
// reaches only its own memory and pinned memory of the host. What a program forgets to wait for is seen without a GPU. Copies are the host device's.
#pragma once

#include <cstdint>

#include "halo_plugin.h"

extern "C" {

extern const halo_device_plugin halo_device_late;

// What a vendor's runtime would offer to programs. A stream may be destroyed once all its work is done.
halo_status late_stream_create(halo_device *device, halo_stream *stream);
void late_stream_destroy(halo_device *device, halo_stream stream);
void late_stream_synchronize(halo_device *device, halo_stream stream);

// Delays, in microseconds, are drawn up to this, from this seed on. Of devices that are opened afterwards.
void late_configure(uint64_t seed, int32_t most_microseconds);

// The allocation of device memory after so many others fails, once; negative: none.
void late_fail_allocation(halo_device *device, int64_t after);

// What has been asked of the device so far.
struct late_counts {
    int64_t launches;    // runs of tables
    int64_t tests;       // runs that tell what is null
    int64_t copies;      // and fills
    int64_t host_waits;  // calls that came back only when their work was done
    int64_t allocations; // of device memory
    int64_t bytes;       // of it, now
};
late_counts late_count(halo_device *device);
}
