// SPDX-License-Identifier: BSD-3-Clause
// Ghosts that a device packs, unpacks, and copies within itself: what is where, as each contender wants it told. Knows nothing of how it is done.
#pragma once

#include <halo_plugin.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "module.h"
#include "work.h"

namespace bench {

constexpr DeviceTask device_tasks[] = { DeviceTask::pack, DeviceTask::unpack, DeviceTask::direct };

// One variable of one buffer. Numbers count values from where the storage or the message begins; those of a list are added to `source` or `target`.
struct BufferLoop {
    int64_t source, target, message;
    size_t source_list, target_list; // where they begin in DeviceCase::lists
    int64_t n;
};

// Rows for libhalo's module. Base 0 is the storage, base 1 the message.
struct TaskRows {
    std::vector<halo_copy_shape> shapes;
    std::vector<halo_copy_row> rows;
    std::vector<uint32_t> indices;
};

struct DeviceCase {
    std::string text;
    int64_t n_buffers = 0;
    std::vector<double> begin, end, packed; // the storage without its ghosts, and with them; the message
    std::vector<BufferLoop> loops;
    std::vector<int32_t> lists;
    bool needs_lists = false; // by whatever means it is done, indices must be read
    TaskRows rows[3];         // by DeviceTask

    // Of blocks alone.
    std::optional<BlockShape> shape;
    std::vector<GhostBuffer> buffers;

    int64_t payload_bytes() const { return static_cast<int64_t>(packed.size() * sizeof(double)); }
    // Of all lines of so many bytes that the task must read or write: each once, however often it is used.
    int64_t line_bytes(DeviceTask task, int64_t bytes_of_a_line) const;
};

// All blocks of a work, as on one rank.
DeviceCase device_case_of(const WorkSize &size);
// A cube of about so many points, with the ghosts of its 26 neighbours, that are listed; in order of their places, or shuffled. Each point has so
// many values, each in an array of its own.
DeviceCase device_case_of_points(int64_t n_points, int64_t n_values, bool shuffled);

// Bytes of the host, those of the device among them where it has none of its own, that a case of blocks takes.
int64_t host_bytes_of(const WorkSize &size);
int64_t host_bytes_there();

} // namespace bench
