// SPDX-License-Identifier: BSD-3-Clause
// A message on its way, with its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "halo_plugin.h"
#include "memory/pool.h"

namespace halo {

// Does not move until it is complete.
struct PendingMessage {
    virtual ~PendingMessage() = default;
    Buffer buffer;
    halo_request request{};
    int32_t peer = -1;
    bool in_flight = false;
    bool abandoned = false; // nobody is expected to take it
    PendingMessage *lost_before = nullptr;
};

// One with bytes of its own, outside the pools.
struct Parcel : PendingMessage {
    std::vector<std::byte> bytes;
};

} // namespace halo
