// SPDX-License-Identifier: BSD-3-Clause
// Payload memory of a mailbox: from the pools, the caller's own, or from the caller's allocator.
#pragma once

#include <cstddef>
#include <cstdint>

#include "channel/mail_room.h"

namespace halo {

// Where payload memory comes from. With HALO_BUFFER_CALLER, `memory` is the caller's block; with HALO_BUFFER_ALLOCATOR, `allocator` is.
struct MailMemory {
    int32_t kind = HALO_BUFFER_POOL;
    void *memory = nullptr;
    const halo_allocator *allocator = nullptr;
};

// Pooled and allocated blocks have 64 bytes in front of the payload, the last 16 of which are the header's place.
class MailBuffer {
public:
    static constexpr int64_t lead_bytes = 64;

    explicit MailBuffer(const MailMemory &source);
    MailBuffer(MailBuffer &&other) noexcept;
    MailBuffer &operator=(MailBuffer &&) = delete;

    bool held() const { return data_ != nullptr; }
    std::byte *data() const { return data_; }
    int64_t capacity() const { return capacity_; }
    uint32_t generation() const { return generation_; }
    bool caller_owned() const { return kind_ == HALO_BUFFER_CALLER; }
    MailHeader *header() const { return reinterpret_cast<MailHeader *>(data_ - sizeof(MailHeader)); }

    // Hold at least `bytes`. A buffer that is too small is replaced.
    void take(Context &context, int64_t bytes) {
        if (!data_ || capacity_ < bytes) replace(context, bytes);
    }
    // The end of a buffer that holds memory: what the caller's allocator gave goes back to it.
    void release(Context &context) noexcept;
    // For a message that outlives the mailbox: the pooled buffer's owner. Memory of the caller is let go without being given back.
    Buffer surrender() noexcept;

private:
    void replace(Context &context, int64_t bytes);
    void *allocate(Context &context, size_t bytes) const;

    std::byte *data_ = nullptr;
    int64_t capacity_ = 0;
    Buffer pooled_;
    union {
        void *memory_;
        const halo_allocator *allocator_;
    };
    uint32_t generation_ = 0;
    uint8_t kind_;
};

} // namespace halo
