// SPDX-License-Identifier: BSD-3-Clause
// Payloads in memory that two processes of a host share: one packs where the other reads, and only the header is sent.
//
// A block has two slots, of the odd and of the even runs, and two words: the last run that has been written, and the last that has been read. A slot
// is written again only when its reader has read what it holds.
#pragma once

#include <utility>

#include "comm/context.h"

namespace halo {

constexpr size_t shared_slot_bytes(size_t payload_bytes) { return (payload_bytes + 63) / 64 * 64; }

// The sender's half. Owns the block.
class SharedSlotWriter {
public:
    SharedSlotWriter() = default;
    ~SharedSlotWriter() {
        if (block_) arena_->release(block_, last_epoch_);
    }
    SharedSlotWriter(const SharedSlotWriter &) = delete;
    SharedSlotWriter &operator=(const SharedSlotWriter &) = delete;

    // Nothing where such payloads are too small, or there is no such memory.
    SharedOffer make(Context &context, size_t payload_bytes) {
        arena_ = context.shared_arena(payload_bytes);
        if (arena_) block_ = arena_->allocate(2 * shared_slot_bytes(payload_bytes));
        slot_bytes_ = shared_slot_bytes(payload_bytes);
        return block_.offer();
    }
    // The slot of this run is that of the last but one: the reader must have read what it holds.
    bool may_write(uint32_t epoch) const {
        if (!block_) return false;
        const bool same_slot = (epoch - last_epoch_) % 2 == 0;
        const uint32_t must_be_read = same_slot ? last_epoch_ : epoch_before_;
        return static_cast<int32_t>(block_.read_epoch().load(std::memory_order_acquire) - must_be_read) >= 0;
    }
    std::byte *slot(uint32_t epoch) const { return block_.data() + (epoch & 1) * slot_bytes_; }
    void written(uint32_t epoch) {
        epoch_before_ = std::exchange(last_epoch_, epoch);
        block_.written_epoch().store(epoch, std::memory_order_release);
    }

private:
    SharedArena *arena_ = nullptr;
    SharedBlock block_;
    size_t slot_bytes_ = 0;
    uint32_t last_epoch_ = 0;   // whose payload lies there
    uint32_t epoch_before_ = 0; // the one before it
};

// The receiver's half, over the peer's block.
class SharedSlotReader {
public:
    void map(Context &context, const SharedOffer &offer, size_t payload_bytes) {
        SharedArena *const arena = context.shared_arena(payload_bytes);
        slot_bytes_ = shared_slot_bytes(payload_bytes);
        if (arena && offer.bytes >= SharedBlock::front + 2 * slot_bytes_) block_ = arena->map(offer);
    }
    explicit operator bool() const { return static_cast<bool>(block_); }
    bool is_written(uint32_t epoch) const { return static_cast<int32_t>(block_.written_epoch().load(std::memory_order_acquire) - epoch) >= 0; }
    std::byte *slot(uint32_t epoch) const { return block_.data() + (epoch & 1) * slot_bytes_; }
    void read(uint32_t epoch) const { block_.read_epoch().store(epoch, std::memory_order_release); }

private:
    SharedBlock block_;
    size_t slot_bytes_ = 0;
};

} // namespace halo
