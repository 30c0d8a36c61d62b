// SPDX-License-Identifier: BSD-3-Clause
// Payload memory of a mailbox: from the pools, the caller's own, or from the caller's allocator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "channel/mail_room.h"
#include "halo_channel.h"
#include "memory/space.h"

namespace halo {

// Where payload memory comes from. With HALO_BUFFER_CALLER, `memory` is the caller's block, nullptr: none yet; with HALO_BUFFER_ALLOCATOR,
// `allocator` is.
struct MailMemory {
    int32_t kind = HALO_BUFFER_POOL;
    void *memory = nullptr;
    const halo_channel_allocator *allocator = nullptr;
    Space space{};
};

// Pooled and allocated blocks of the host have 64 bytes in front of the payload, the last 16 of which are the header's place. Those of a device have
// the payload alone: its messages lie elsewhere, in memory that the host reaches too.
class MailBuffer {
public:
    static constexpr int64_t lead_bytes = 64;

    explicit MailBuffer(const MailMemory &source);
    MailBuffer(MailBuffer &&other) noexcept;
    MailBuffer &operator=(MailBuffer &&) = delete;

    // Of which an equal one is made. The caller's block is the one given last, whether it is held or not.
    MailMemory source() const;
    bool held() const { return data_ != nullptr; }
    std::byte *data() const { return data_; }
    int64_t capacity() const { return capacity_; }
    uint32_t generation() const { return generation_; }
    bool caller_owned() const { return kind_ == HALO_BUFFER_CALLER; }
    bool pooled() const { return kind_ == HALO_BUFFER_POOL; }
    bool on_device() const { return device_ >= 0; }
    int32_t device() const { return device_; }
    // There is no place for a header in front of the payload.
    bool headless() const { return caller_owned() && !on_device(); }

    // Hold at least `bytes`. A buffer that is too small is replaced. HALO_ERR_STATE: the caller's, who has given none.
    void take(Context &context, const halo_channel_key &key, int64_t bytes) {
        if (!data_ || capacity_ < bytes) replace(context, key, bytes);
    }
    // The end of a buffer that holds memory: what the caller's allocator gave goes back to it.
    void release(Context &context, const halo_channel_key &key) noexcept;
    // Another block of the caller's, held if there is one. Without payload none is needed.
    void set_memory(void *memory, int64_t bytes);
    // For a message that outlives the mailbox: the pooled buffer's owner. Memory of the caller is let go without being given back.
    Buffer surrender() noexcept;

private:
    void replace(Context &context, const halo_channel_key &key, int64_t bytes);
    void *allocate(Context &context, const halo_channel_key &key, size_t bytes) const;
    int64_t lead() const { return on_device() ? 0 : lead_bytes; }

    std::byte *data_ = nullptr;
    int64_t capacity_ = 0;
    Buffer pooled_;
    union {
        void *memory_;
        const halo_channel_allocator *allocator_;
    };
    uint32_t generation_ = 0;
    uint8_t kind_;
    int16_t device_; // ordinal; -1: none
};

} // namespace halo
