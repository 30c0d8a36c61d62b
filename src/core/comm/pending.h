// SPDX-License-Identifier: BSD-3-Clause
// A message on its way, with its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "comm/fabric.h"
#include "memory/pool.h"

namespace halo {

// Does not move until it is complete.
struct PendingMessage {
    virtual ~PendingMessage() = default;
    Buffer buffer;
    Request request{};
    int32_t peer = -1;
    bool in_flight = false;
    bool abandoned = false; // nobody is expected to take it
    PendingMessage *lost_before = nullptr;
};

// Polls: is it complete, or was it never begun? A test that fails has ended it.
inline bool is_complete(PendingMessage &message, Fabric &fabric, size_t *bytes = nullptr) {
    const bool in_flight = std::exchange(message.in_flight, false);
    message.in_flight = in_flight && !fabric.test(message.request, message.peer, bytes);
    return !message.in_flight;
}

// One with bytes of its own, outside the pools.
struct Parcel : PendingMessage {
    std::vector<std::byte> bytes;
};

} // namespace halo
