// SPDX-License-Identifier: BSD-3-Clause
#include "stream/storage_leases.h"

#include "base/schedule_point.h"

namespace halo {

StorageLeases::~StorageLeases() {
    end_own();
    if (has_own()) context_.shared_arena(SIZE_MAX)->release(own_.front().block, 0);
}

bool StorageLeases::end_own() noexcept {
    if (!has_own()) return false;
    const double end = context_.clock() + 1;
    bool unused = false;
    for (; !gate().close(&unused); busy_wait()) {
        context_.let_depart(); // the peer may wait for this rank's devices
        if (context_.clock() > end && gate().revoke()) {
            context_.leases().take_over(own_);
            return false;
        }
    }
    return unused;
}

} // namespace halo
