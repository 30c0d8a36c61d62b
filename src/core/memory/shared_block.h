// SPDX-License-Identifier: BSD-3-Clause
// A part of one rank's memory that another of the same host can reach: where it is, and the words by which the two agree who uses it.
#pragma once

#include <cstddef>
#include <cstdint>

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
    uint32_t read_epoch() const;
    void tell_read(uint32_t epoch) const;

    // The writer has written what the reader waits for in this epoch; there is a word for odd epochs, and one for even ones. What the writer of
    // another block in its place says, before or after, does not count. Release to acquire: all that was written before.
    void tell_written(uint32_t epoch) const;
    bool is_written(uint32_t epoch) const;

    // A word for the two ends to agree on something else: see memory/storage_gate.h.
    uint64_t &state() const { return word(1); }

    // Is it still this block, and no other in its place? Acquire: a word that `begin` has stored shows its other words too.
    bool is_same() const;
    // Empty. From here on what was in its place is gone. The state may be relaxed: who is offered the block hears of it later, by the release of the
    // last word or by the message of the offer, and a former peer's turn is over.
    void begin() const;
    std::byte *front_data() const { return data_; }

    static constexpr size_t front = 128; // the reader's line, and the writer's

private:
    uint64_t tag() const { return offer_.word & 0xffffffffu; }
    uint64_t &written(uint32_t epoch) const { return word(8 + static_cast<int>(epoch & 1)); }
    uint64_t &word(int number) const { return reinterpret_cast<uint64_t *>(data_)[number]; }

    std::byte *data_ = nullptr; // of the whole block, front included
    SharedOffer offer_;
};

} // namespace halo
