// SPDX-License-Identifier: BSD-3-Clause
#include "stream/storage_leases.h"

#include "base/schedule_point.h"

namespace halo {

StorageLeases::~StorageLeases() {
    end_own();
    if (has_own()) context_.shared_arena(SIZE_MAX)->release(own_.front().block, 0);
}

void StorageLeases::end_own() noexcept {
    if (!has_own()) return;
    const double end = context_.clock() + 1;
    for (; !close_own(); busy_wait()) {
        context_.let_depart(); // the peer may wait for this rank's devices
        if (context_.clock() > end && gate().revoke()) return context_.leases().take_over(own_);
    }
}

} // namespace halo
