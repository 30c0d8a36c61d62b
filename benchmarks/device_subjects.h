// SPDX-License-Identifier: BSD-3-Clause
// Fields that are exchanged on a device: what is in them on this rank, as the host knows it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "halo.hpp"
#include "work.h"

namespace bench {

class DeviceSubject {
public:
    virtual ~DeviceSubject() = default;
    virtual std::string text() const = 0;
    virtual halo::Topology make_topology(const halo::Context &context) const = 0;
    virtual halo::Field make_field(const halo::Topology &topology) const = 0;
    // The storage, and how far its parts are from each other.
    virtual double *data() = 0;
    virtual int64_t n_values() const = 0;
    virtual int64_t part_stride() const = 0;
    virtual int64_t ghost_bytes() const = 0;

    // Other values, and no ghosts.
    virtual void renew() = 0;
    virtual int64_t wrong_values() = 0;
};

// Blocks of the work W, and a slab of a cube of points for each rank, known by keys, in order or shuffled; both without borders.
std::unique_ptr<DeviceSubject> make_blocks_subject(const WorkSize &size, int32_t rank, int32_t n_ranks);
std::unique_ptr<DeviceSubject> make_points_subject(int64_t n_points, int32_t n_values, bool shuffled, int32_t rank, int32_t n_ranks);

} // namespace bench
