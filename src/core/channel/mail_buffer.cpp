// SPDX-License-Identifier: BSD-3-Clause
#include "channel/mail_buffer.h"

#include <algorithm>
#include <utility>

#include "channel/key.h"

namespace halo {

namespace {

// Data of no size still have an address: it tells a buffer that is held from none. Never read or written.
const std::byte nowhere[1]{};

} // namespace

MailBuffer::MailBuffer(const MailMemory &source)
    : memory_(source.memory),
      kind_(static_cast<uint8_t>(source.kind)),
      device_(static_cast<int16_t>(source.space.on_device() ? source.space.device : -1)) {
    if (source.kind == HALO_BUFFER_ALLOCATOR) allocator_ = source.allocator;
}

MailBuffer::MailBuffer(MailBuffer &&other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      capacity_(other.capacity_),
      pooled_(std::move(other.pooled_)),
      memory_(other.memory_),
      generation_(other.generation_),
      kind_(other.kind_),
      device_(other.device_) {}

MailMemory MailBuffer::source() const {
    MailMemory source;
    source.kind = kind_;
    if (kind_ == HALO_BUFFER_ALLOCATOR) source.allocator = allocator_;
    if (kind_ == HALO_BUFFER_CALLER && memory_ != nowhere) source.memory = memory_;
    if (on_device()) source.space = { HALO_MEMORY_DEVICE, device_ };
    return source;
}

void MailBuffer::set_memory(void *memory, int64_t bytes) {
    memory_ = memory || bytes > 0 ? memory : const_cast<std::byte *>(nowhere);
    data_ = static_cast<std::byte *>(memory_);
    capacity_ = bytes;
    ++generation_;
}

void MailBuffer::replace(Context &context, const halo_channel_key &key, int64_t bytes) {
    const size_t block_bytes = static_cast<size_t>(std::max<int64_t>(lead() + bytes, 1));
    if (kind_ == HALO_BUFFER_CALLER) {
        if (!memory_ && bytes > 0)
            fail(HALO_ERR_STATE, "channel %s has no buffer of the caller's yet: halo_channel_set_buffer", describe(key).c_str());
        data_ = memory_ ? static_cast<std::byte *>(memory_) : const_cast<std::byte *>(nowhere);
    } else if (kind_ == HALO_BUFFER_POOL) {
        Buffer fresh = on_device() ? context.pools().pool(HALO_MEMORY_DEVICE, device_).get(block_bytes) : context.host_buffer(block_bytes);
        pooled_ = std::move(fresh);
        data_ = pooled_.data() + lead();
    } else {
        void *block = allocate(context, key, block_bytes);
        if (!block)
            fail(HALO_ERR_MEMORY, "the caller's allocator has no %zu bytes (%lld of payload) for channel %s", block_bytes,
                 static_cast<long long>(bytes), describe(key).c_str());
        release(context, key);
        data_ = static_cast<std::byte *>(block) + lead();
    }
    capacity_ = bytes;
    ++generation_;
}

void *MailBuffer::allocate(Context &context, const halo_channel_key &key, size_t bytes) const {
    const CallRules::Callback inside(context.call_rules(), Inside::callback, "allocate");
    return allocator_->allocate(allocator_->user, &key, bytes);
}

void MailBuffer::release(Context &context, const halo_channel_key &key) noexcept {
    if (data_ && kind_ == HALO_BUFFER_ALLOCATOR) {
        const CallRules::Callback inside(context.call_rules(), Inside::callback, "release");
        allocator_->release(allocator_->user, &key, data_ - lead(), static_cast<size_t>(std::max<int64_t>(lead() + capacity_, 1)));
    }
    pooled_.reset();
    data_ = nullptr;
}

Buffer MailBuffer::surrender() noexcept {
    data_ = nullptr;
    return std::move(pooled_);
}

} // namespace halo
