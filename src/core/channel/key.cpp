// SPDX-License-Identifier: BSD-3-Clause
#include "channel/key.h"

namespace halo {

const char *state_name(int32_t state) noexcept {
    switch (state) {
    case HALO_STALE: return "stale";
    case HALO_SENDING: return "sending";
    case HALO_SENDING_NULL: return "sending_null";
    case HALO_RECEIVED: return "received";
    case HALO_RECEIVED_NULL: return "received_null";
    default: return "unknown";
    }
}

} // namespace halo
