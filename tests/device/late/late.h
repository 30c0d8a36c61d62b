// SPDX-License-Identifier: BSD-3-Clause
// A device that forgives nothing: the host cannot touch its memory, work is done late by a thread of each stream, rows of a launch from either
// end, events fire later still, and it reaches only its own memory and pinned memory of the host. What a program forgets to wait for is seen without
// a GPU. Copies are the host device's. It is a module too, and a program that links it shares it with the core, which opens instances of its own.
#pragma once

#include <cstdint>

#include "halo_plugin.h"

#pragma GCC visibility push(default)
extern "C" {

extern const halo_device_plugin halo_device_late;

// What a vendor's runtime would offer to programs. A stream may be destroyed once all its work is done.
halo_status late_stream_create(halo_device *device, halo_stream *stream);
void late_stream_destroy(halo_device *device, halo_stream stream);
void late_stream_synchronize(halo_device *device, halo_stream stream);
// The program records the stream into a graph, as long as `on`: then work that anybody puts on it ends the process.
void late_stream_capture(halo_stream stream, bool on);

// Many copies in one operation of a stream, as a kernel of the program's does them: each like the device's `copy`.
struct late_piece {
    void *dst;
    const void *src;
    size_t bytes;
};
halo_status late_copy_pieces(halo_device *device, const late_piece *pieces, int64_t n, halo_stream stream);

// The open device that such memory of its own belongs to; NULL: none, or memory of the host.
halo_device *late_of_memory(const void *pointer);
// Where a transport that takes memory of these devices reaches it, as their own work does; NULL: it is memory of the host.
void *late_reach(const void *pointer);
int32_t late_ordinal(halo_device *device);
// The device that this thread has opened last.
halo_device *late_opened_here(void);

// There are two. So many the module tells of, in contexts that are made afterwards; 0, as at first: it does not tell.
void late_tell_devices(int32_t n);

// Contexts that are made afterwards find devices that record no launches.
void late_refuse_graphs(bool refuse);

// Delays, in microseconds, are drawn up to this, from this seed on. Of devices that are opened afterwards.
void late_configure(uint64_t seed, int32_t most_microseconds);

// What comes after so many others fails, once; negative: none. A launch is a run of a table or of ranges, or a test of ranges.
void late_fail_allocation(halo_device *device, int64_t after);
void late_fail_pinned(halo_device *device, int64_t after);
void late_fail_launch(halo_device *device, int64_t after);
// A launch of ranges, after so many others, is accepted, and fails when its stream has come there, once: what it was to do is not done, and events
// that are recorded behind it and before the next work say so.
void late_fail_work(halo_device *device, int64_t after);
// The same of memory that is exported, or opened.
void late_fail_export(halo_device *device, int64_t after);
void late_fail_opening(halo_device *device, int64_t after);
// A launch of ranges, after so many others, takes so much longer, once.
void late_delay_launch(halo_device *device, int64_t after, int32_t microseconds);
// The same of each device that is opened afterwards.
void late_fail_allocations_of_all(int64_t after);
void late_fail_pinned_of_all(int64_t after);
void late_fail_launches_of_all(int64_t after);

// What has been asked of the device so far.
struct late_counts {
    int64_t launches;    // runs of tables, or of many ranges at once
    int64_t tests;       // runs that tell what is null
    int64_t copies;      // and fills
    int64_t host_waits;  // calls that came back only when their work was done
    int64_t allocations; // of device memory
    int64_t bytes;       // of it, now
    int64_t exported;    // allocations of it that others may open, now
    int64_t opened;      // allocations of others, now
    int64_t events;      // that others may open, or that are others', now
    int64_t freed_open;  // allocations that were given back while others had them open
    int64_t recordings;  // of launches that go together, when they come for the second time
    int64_t replays;     // of these. The launches count too
};
late_counts late_count(halo_device *device);
late_counts late_count_all(void); // of all devices in this process, the closed ones too
}
#pragma GCC visibility pop
