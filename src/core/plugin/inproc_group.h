// SPDX-License-Identifier: BSD-3-Clause
// Groups of ranks that live in this process, as the built-in transport makes them.
#pragma once

#include <cstdint>

#include "halo.h"

namespace halo {

halo_inproc *create_inproc_group(int32_t n_ranks);
int32_t inproc_group_size(const halo_inproc *group);
// One rank's creation of its context: it enters, opens the group, makes all else that is its own, and waits until all have. All ranks go on, or none
// does, whoever loses patience or has no memory.
class InprocMeeting {
public:
    InprocMeeting(halo_inproc *group, int32_t rank) : group_(group), rank_(rank) {}
    ~InprocMeeting() { withdraw(); }
    InprocMeeting(const InprocMeeting &) = delete;
    InprocMeeting &operator=(const InprocMeeting &) = delete;

    halo_inproc *group() const { return group_; }
    int32_t rank() const { return rank_; }

    // False: to be called again. Both fail with HALO_ERR_PEER where another rank has failed.
    bool enter();
    bool complete();
    // This rank has, for want of memory. Nothing happens once all have met.
    void fail();
    // False: all have come in the meantime.
    bool withdraw();
    // The lowest rank that is missing.
    int32_t absent() const;

    // As the transport keeps it: halo_inproc_arrival.
    struct Arrival {
        int64_t meeting, failure;
        int32_t entered, failed;
    };

private:
    bool judge(halo_status status) const;

    halo_inproc *group_;
    int32_t rank_;
    Arrival arrival_{};
};

// HALO_BUSY while contexts of the group live.
void destroy_inproc_group(halo_inproc *group);

} // namespace halo
