// SPDX-License-Identifier: BSD-3-Clause
// A message on its way, with its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
    bool abandoned = false;         // nobody is expected to take it
    PendingMessage *next = nullptr; // in a list of messages that nobody else has
};

// Messages that nobody else has. To add one cannot fail.
class PendingMessages {
public:
    PendingMessages() = default;
    PendingMessages(PendingMessages &&other) noexcept : first_(std::exchange(other.first_, nullptr)) {}
    PendingMessages &operator=(PendingMessages &&other) noexcept {
        std::swap(first_, other.first_);
        return *this;
    }
    ~PendingMessages() {
        erase_if([](const PendingMessage &) { return true; });
    }

    bool empty() const { return first_ == nullptr; }
    void add(std::unique_ptr<PendingMessage> message) noexcept {
        message->next = first_;
        first_ = message.release();
    }
    template <class Is>
    const PendingMessage *find_if(Is &&is) const {
        const PendingMessage *message = first_;
        while (message && !is(*message)) message = message->next;
        return message;
    }
    template <class Is>
    void erase_if(Is &&is) {
        for (PendingMessage **place = &first_; *place;) {
            PendingMessage *message = *place;
            if (!is(*message)) {
                place = &message->next;
                continue;
            }
            *place = message->next;
            delete message;
        }
    }

private:
    PendingMessage *first_ = nullptr;
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
