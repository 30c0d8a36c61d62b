// SPDX-License-Identifier: BSD-3-Clause
// Messages in memory that two processes of a host share: one packs where the other reads, and no transport is called.
//
// A block has two slots, of the odd and of the even runs, each for a whole message. A word of the block tells the reader that the message is there. A
// slot is written again only when its reader has used what it holds.
#pragma once

#include <cstddef>

#include "comm/context.h"
#include "stream/wire.h"

namespace halo {

// Where the slots of a block are.
class SharedSlots {
public:
    SharedSlots() = default;
    SharedSlots(const SharedBlock &block, size_t message_bytes) : block_(block), slot_bytes_(rounded(message_bytes)) {}

    static size_t bytes(size_t message_bytes) { return 2 * rounded(message_bytes); }
    explicit operator bool() const { return static_cast<bool>(block_); }
    const SharedBlock &block() const { return block_; }
    std::byte *slot(uint32_t epoch) const { return block_.data() + (epoch & 1) * slot_bytes_; }

private:
    static size_t rounded(size_t bytes) { return (bytes + 63) / 64 * 64; }

    SharedBlock block_;
    size_t slot_bytes_ = 0;
};

// The sender's half. Owns the block.
class SharedSlotWriter {
public:
    SharedSlotWriter() = default;
    ~SharedSlotWriter() {
        if (slots_) arena_->release(slots_.block(), last_epoch_);
    }
    SharedSlotWriter(const SharedSlotWriter &) = delete;
    SharedSlotWriter &operator=(const SharedSlotWriter &) = delete;

    // Nothing is offered where there is no such memory.
    SharedOffer make(SharedArena *arena, size_t message_bytes) {
        arena_ = arena;
        if (arena && !slots_) slots_ = { arena->allocate(SharedSlots::bytes(message_bytes)), message_bytes };
        return slots_ ? slots_.block().offer() : SharedOffer{};
    }
    // The slot of this run is that of the last but one: what it holds must have been used. `consumed`: up to this run all has been, as the reader has
    // told in his messages.
    bool may_write(uint32_t epoch, uint32_t consumed) const;
    std::byte *slot(uint32_t epoch) const { return slots_.slot(epoch); }
    // The rest of the message is in the slot.
    void write(const MessageHeader &header);

private:
    SharedArena *arena_ = nullptr;
    SharedSlots slots_;
    uint32_t last_epoch_ = 0;   // whose message lies there
    uint32_t epoch_before_ = 0; // the one before it
};

// The receiver's half, over the peer's block.
class SharedSlotReader {
public:
    void map(SharedArena *arena, const SharedOffer &offer, size_t message_bytes) {
        if (arena && offer.bytes >= SharedBlock::front + SharedSlots::bytes(message_bytes)) slots_ = { arena->map(offer), message_bytes };
    }
    explicit operator bool() const { return static_cast<bool>(slots_); }
    bool is_written(uint32_t epoch) const { return slots_.block().is_written(epoch); }
    std::byte *slot(uint32_t epoch) const { return slots_.slot(epoch); }
    // Nothing of this run or earlier ones is needed any more.
    void read(uint32_t epoch) const { slots_.block().tell_read(epoch); }

private:
    SharedSlots slots_;
};

} // namespace halo
