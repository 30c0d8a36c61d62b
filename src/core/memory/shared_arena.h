// SPDX-License-Identifier: BSD-3-Clause
// Memory that other processes of the same host can reach: what a message carries need not be copied on its way to them.
//
// A rank makes files without a name (memfd_create) and hands out parts of them; another rank opens them through the first one's
// entry in /proc. Nothing is left behind when a process ends, and a mapping stays valid when the process that made it is gone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "memory/shared_file.h"
#include "memory/shared_word.h"

namespace halo {

// Where some memory is, as another rank needs it.
struct SharedOffer {
    uint64_t nonce = 0; // of the file; 0: nothing is offered
    uint64_t host = 0;
    int32_t process = 0;
    int32_t file = -1;
    uint64_t file_bytes = 0;
    uint64_t offset = 0;
    uint64_t bytes = 0; // from there on
    uint64_t word = 0;  // of a block, whose first cache line has the same; 0: plain memory
};

class SharedArena;

// A block that one process writes and one reads. Its first two cache lines, the front, have words for the two: what a former peer, who does not know
// yet that the block is something else now, still looks at lies there, and is never anything but these words.
class SharedBlock {
public:
    SharedBlock() = default;
    SharedBlock(std::byte *data, const SharedOffer &offer) : data_(data), offer_(offer) {}

    explicit operator bool() const { return data_ != nullptr; }
    std::byte *data() const { return data_ + front; }
    const SharedOffer &offer() const { return offer_; }

    // Up to this epoch the reader has read. What the reader of a former block in its place says does not count. Release to acquire: it has read
    // before the writer writes there again.
    uint32_t read_epoch() const {
        const uint64_t told = word(0).load(std::memory_order_acquire);
        return told >> 32 == tag() ? static_cast<uint32_t>(told) : 0;
    }
    void tell_read(uint32_t epoch) const { word(0).store(tag() << 32 | epoch, std::memory_order_release); }

    // The writer has written what the reader waits for in this epoch; there is a word for odd epochs, and one for even ones. What the writer of
    // another block in its place says, before or after, does not count. Release to acquire: all that was written before.
    void tell_written(uint32_t epoch) const { written(epoch).store(tag() << 32 | epoch, std::memory_order_release); }
    bool is_written(uint32_t epoch) const { return written(epoch).load(std::memory_order_acquire) == (tag() << 32 | epoch); }

    // A word for the two ends to agree on something else: see memory/storage_gate.h.
    SharedWord<uint64_t> state() const { return word(1); }

    // Is it still this block, and no other in its place? Acquire: a word that `begin` has stored shows its other words too.
    bool is_same() const { return word(2).load(std::memory_order_acquire) == offer_.word; }
    // Empty. From here on what was in its place is gone. The state may be relaxed: who is offered the block hears of it later, by the release of the
    // last word or by the message of the offer, and a former peer's turn is over.
    void begin() const {
        tell_read(0);
        state().store(0, std::memory_order_relaxed);
        word(2).store(offer_.word, std::memory_order_release);
    }
    std::byte *front_data() const { return data_; }

    static constexpr size_t front = 128; // the reader's line, and the writer's

private:
    uint64_t tag() const { return offer_.word & 0xffffffffu; }
    SharedWord<uint64_t> written(uint32_t epoch) const { return word(8 + static_cast<int>(epoch & 1)); }
    SharedWord<uint64_t> word(int number) const { return SharedWord<uint64_t>(reinterpret_cast<uint64_t *>(data_)[number]); }

    std::byte *data_ = nullptr; // of the whole block, front included
    SharedOffer offer_;
};

// Memory of this rank, and mappings of that of others.
class SharedArena {
public:
    SharedArena() = default;
    ~SharedArena();
    SharedArena(const SharedArena &) = delete;
    SharedArena &operator=(const SharedArena &) = delete;

    // `bytes` after the front; an empty block where the system has no such memory.
    SharedBlock allocate(size_t bytes);
    // The block is used again once its reader has read `epoch`.
    void release(const SharedBlock &block, uint32_t epoch) noexcept;
    // Another rank's block; an empty one if it cannot be reached.
    SharedBlock map(const SharedOffer &offer);

    // Plain memory, aligned to 64 bytes; nullptr where the system has none that can be shared.
    std::byte *allocate_plain(size_t bytes);
    void release_plain(std::byte *data, size_t bytes) noexcept;
    // What an address in this arena is to others; nothing is offered if it lies outside.
    SharedOffer locate(const void *address) const;
    // An address in another rank's arena; nullptr if it cannot be reached.
    std::byte *reach(const SharedOffer &offer);
    // Why memory could not be shared when that was last tried in vain; empty: it always could.
    const std::string &trouble() const { return trouble_; }
    // Called at the first trouble of each kind: no memory can be made, or none of a peer's be reached.
    void on_first_trouble(std::function<void()> tell) { tell_ = std::move(tell); }

private:
    struct File {
        SharedFile file;
        size_t used = 0;
    };
    struct Released {
        SharedBlock block;
        uint32_t epoch;
    };
    void note(std::string trouble, bool &told);
    bool add_file(size_t bytes);
    std::byte *take(size_t bytes, size_t alignment);
    SharedBlock reused(size_t bytes);
    static SharedBlock fresh(std::byte *data, SharedOffer offer);

    std::vector<File> files_;
    using FreePlain = std::multimap<size_t, std::byte *>;              // by size
    using Mapped = std::map<uint64_t, std::pair<std::byte *, size_t>>; // by nonce

    std::vector<Released> released_; // with room for all blocks: to release one must not fail
    size_t n_blocks_ = 0;
    FreePlain free_plain_;
    std::vector<FreePlain::node_type> nodes_in_use_; // one for each piece of plain memory that is in use
    Mapped mapped_;
    std::string trouble_;
    std::function<void()> tell_;
    bool told_of_own_ = false;
    bool told_of_peers_ = false;
};

} // namespace halo
