// SPDX-License-Identifier: BSD-3-Clause
// Messages in memory that two processes of a host share: one packs where the other reads, and no transport is called.
//
// A block has two slots, of the odd and of the even runs, each for a whole message. The epoch in its header is written last, and tells the reader
// that the message is there. A slot is written again only when its reader has used what it holds.
#pragma once

#include <cstddef>
#include <cstring>
#include <utility>

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
    SharedWord<uint32_t> epoch_in(uint32_t epoch) const {
        return SharedWord<uint32_t>(*reinterpret_cast<uint32_t *>(slot(epoch) + offsetof(MessageHeader, epoch)));
    }

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
        if (!slots_) return {};
        // Release: who sees this, or an epoch that is written later, sees the block's new word too.
        for (const uint32_t parity : { 0u, 1u }) slots_.epoch_in(parity).store(0, std::memory_order_release);
        return slots_.block().offer();
    }
    // The slot of this run is that of the last but one: what it holds must have been used. `consumed`: up to this run all has been, as the reader has
    // told in his messages.
    bool may_write(uint32_t epoch, uint32_t consumed) const {
        if (!slots_) return false;
        const uint32_t must_be_read = (epoch - last_epoch_) % 2 == 0 ? last_epoch_ : epoch_before_;
        const auto is_read = [&](uint32_t upto) { return static_cast<int32_t>(upto - must_be_read) >= 0; };
        return is_read(consumed) || is_read(slots_.block().read_epoch());
    }
    std::byte *slot(uint32_t epoch) const { return slots_.slot(epoch); }
    // The rest of the message is in the slot. Release: to `is_written`, all of the message.
    void write(const MessageHeader &header) {
        constexpr size_t before = offsetof(MessageHeader, epoch), behind = before + sizeof header.epoch;
        std::byte *const slot = slots_.slot(header.epoch);
        std::memcpy(slot, &header, before);
        std::memcpy(slot + behind, reinterpret_cast<const std::byte *>(&header) + behind, sizeof header - behind);
        slots_.epoch_in(header.epoch).store(header.epoch, std::memory_order_release);
        epoch_before_ = std::exchange(last_epoch_, header.epoch);
    }

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
    // Not by who has taken the block for something else since: acquire, so that an epoch of that one's is not seen without its word.
    bool is_written(uint32_t epoch) const { return slots_.epoch_in(epoch).load(std::memory_order_acquire) == epoch && slots_.block().is_same(); }
    std::byte *slot(uint32_t epoch) const { return slots_.slot(epoch); }
    // Nothing of this run or earlier ones is needed any more.
    void read(uint32_t epoch) const { slots_.block().tell_read(epoch); }

private:
    SharedSlots slots_;
};

} // namespace halo
