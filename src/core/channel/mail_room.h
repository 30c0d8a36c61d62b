// SPDX-License-Identifier: BSD-3-Clause
// What the mailboxes of one owner share: the context, and the storage of operations in flight, which idle mailboxes do not have.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/digest.h"
#include "channel/long_waits.h"
#include "comm/context.h"

namespace halo {

// In front of the payload of a channel's message, in the same message. Checked in release builds too. 16 bytes: with a payload of 8 the
// message still goes the way that transports keep for the smallest ones (measured with UCX: 0.17 us less than with 32 bytes).
struct MailHeader {
    uint16_t magic;
    uint8_t version;
    uint8_t kind;    // MailKind
    uint32_t serial; // of the group: tells late messages of an earlier one
    uint32_t epoch;  // of the channel, from 1
    uint32_t seal;   // mail_seal of key and payload size
};
static_assert(sizeof(MailHeader) == 16, "the header is part of the wire format");

inline constexpr uint16_t mail_magic = 0x4c4d; // "ML"
inline constexpr uint8_t mail_version = 1;

// One number for whose the message is and how long its payload should be. In check mode the payload's checksum is folded into it.
constexpr uint32_t mail_seal(uint32_t key_hash, size_t payload_bytes) { return key_hash ^ static_cast<uint32_t>(Digest::mix(payload_bytes)); }

enum class MailKind : uint8_t { data = 1, null = 2 };

// A send or receive in flight. `buffer` stays empty unless the message outlives its mailbox.
struct MailOperation : PendingMessage {
    MailHeader header{}; // of messages without payload
    Matched matched{};
    size_t matched_bytes = 0; // of a message that was found and waits for memory
    uint64_t checksum = 0;    // check mode: of the payload as it was when send was called
    MailOperation *next_free = nullptr;
};

class DeviceMails;

class MailRoom {
public:
    explicit MailRoom(Context &context);
    ~MailRoom();
    MailRoom(const MailRoom &) = delete;
    MailRoom &operator=(const MailRoom &) = delete;

    Context &context() const { return context_; }
    LongWaits &long_waits() { return long_waits_; }
    // Of the device's own memory. HALO_ERR_DEVICE: there is none.
    DeviceMails &on_device(int32_t ordinal);

    // Allocates only when more operations are in flight than ever before.
    MailOperation *take() {
        if (!free_) [[unlikely]]
            return new MailOperation;
        MailOperation *operation = free_;
        free_ = operation->next_free;
        return operation;
    }
    void put(MailOperation *operation) noexcept {
        operation->next_free = free_;
        free_ = operation;
    }

private:
    Context &context_;
    MailOperation *free_ = nullptr;
    LongWaits long_waits_;
    std::vector<std::unique_ptr<DeviceMails>> devices_;
};

} // namespace halo
