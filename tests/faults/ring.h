// SPDX-License-Identifier: BSD-3-Clause
// What ranks in a ring do again and again until one of them is struck: all that a rank has of it lies in memory that its peers may reach, of the host
// or, with CONFORMANCE_STORAGE=shared_device, of a device, so that every path can be taken, and values are the same in all of a rank's cells, so that
// a run is mostly what the library does.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "halo_plugin.h"
#include "ranks.h"

namespace conformance {

struct Way {
    bool points; // values of copies are added to those of their owners, and stay unchanged (get); else ghosts of blocks are filled (put)
    const char *path;
    int32_t messages;
};
extern const std::array<Way, 8> ring_ways;

class Ring {
public:
    Ring(const Rank &rank, const Way &way, int64_t n_values);
    Ring(const Ring &) = delete;
    Ring &operator=(const Ring &) = delete;

    halo_status start(); // with new values
    halo_status finish();
    halo_status run() {
        const halo_status status = start();
        return status == HALO_SUCCESS ? finish() : status;
    }
    // How values go to a neighbour: a line of the exchange's description.
    std::string route() const;
    // Stops unless every value is that of the last run.
    void check();
    // Whatever state a run is in. The memory stays.
    void give_up();
    // The memory goes too: all but those that are gone have given up.
    void destroy();

private:
    void allocate();
    void bring(void *to, const void *from) const;
    void make_blocks();
    void make_points();
    halo_stream stream() const { return device_ ? HALO_STREAM_DEFAULT : HALO_STREAM_NONE; }
    double value(int32_t rank) const { return static_cast<double>(time_ * 100 + rank); }
    int32_t above() const { return (rank_.rank + 1) % rank_.size; }
    int32_t below() const { return (rank_.rank + rank_.size - 1) % rank_.size; }

    const Rank &rank_;
    Way way_;
    int64_t n_; // owned
    int64_t time_ = 0;
    std::vector<double> values_; // below's, own, above's; of points: own, copies of below's, of above's
    void *memory_ = nullptr;     // where they are while they are exchanged
    halo_device *device_ = nullptr;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
};

} // namespace conformance
