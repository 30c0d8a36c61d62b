// SPDX-License-Identifier: BSD-3-Clause
// What a channel is known by, and the names of its states. Order, equality and text of keys: stream/wire_edge.h.
#pragma once

#include <cstdint>

#include "base/digest.h"
#include "halo_channel.h"
#include "stream/wire_edge.h"

namespace halo {

inline uint64_t hash_key(const halo_channel_key &key) {
    uint64_t hash = Digest::mix(static_cast<uint64_t>(key.send_gid) + 0x9e3779b97f4a7c15u);
    hash = Digest::mix(hash ^ static_cast<uint64_t>(key.receive_gid));
    hash = Digest::mix(hash ^ (static_cast<uint64_t>(static_cast<uint32_t>(key.field)) << 32 | static_cast<uint32_t>(key.element)));
    return key.extra == 0 ? hash : Digest::mix(hash ^ static_cast<uint64_t>(key.extra));
}

// "stale", "sending", ... for a HALO_STALE ... number.
const char *state_name(int32_t state) noexcept;

} // namespace halo
