// SPDX-License-Identifier: BSD-3-Clause
// Groups of ranks that live in this process, as the built-in transport makes them.
#pragma once

#include <cstdint>

#include "halo.h"

namespace halo {

halo_inproc *create_inproc_group(int32_t n_ranks);
int32_t inproc_group_size(const halo_inproc *group);
// A rank that is about to open the group. All ranks go on to open it, or none does, whoever loses patience.
class InprocMeeting {
public:
    InprocMeeting(halo_inproc *group, int32_t rank) : group_(group), rank_(rank) {}
    ~InprocMeeting() { withdraw(); }
    InprocMeeting(const InprocMeeting &) = delete;
    InprocMeeting &operator=(const InprocMeeting &) = delete;

    bool complete();
    // False: all have come in the meantime.
    bool withdraw();
    // The lowest rank that is missing.
    int32_t absent() const;

private:
    halo_inproc *group_;
    int32_t rank_;
    int64_t meeting_ = -1;
};

// HALO_BUSY while contexts of the group live.
void destroy_inproc_group(halo_inproc *group);

} // namespace halo
