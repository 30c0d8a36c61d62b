// SPDX-License-Identifier: BSD-3-Clause
// The memory that one rank shares with the others of its host: a file without a name, which ends with the last process that has mapped it, however
// that process ends. In front what all of them write: bells, and who has mapped it. Behind it one ring to each of them, which takes memory once it is
// used.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "ring.h"

namespace halo::shm {

// How another process finds it.
struct SegmentAddress {
    int64_t process = 0;
    uint64_t nonce = 0;
    int32_t descriptor = -1;
    int32_t n_places = 0; // one for each rank of the host
    uint64_t front = 0;   // where its process has it
};

using Trouble = char[160]; // why something could not be had

class Segment {
public:
    Segment() = default;
    ~Segment();
    Segment(const Segment &) = delete;
    Segment &operator=(const Segment &) = delete;

    // Makes one, of this process. False: `trouble` says why not.
    bool create(int32_t n_places, Trouble &trouble);
    // Maps one of another rank: its front, and its ring for `place`. False: `trouble` says why not.
    bool map(const SegmentAddress &address, int32_t place, Trouble &trouble);
    // Takes memory for a part of an own ring, which would otherwise be missed when it is written. False: errno says why.
    bool reserve(int32_t place, size_t begin, size_t end);

    SegmentAddress address() const { return address_; }
    Ring *ring_to(int32_t place) const { return rings_ + place; } // of an own one
    Ring *mapped_ring() const { return rings_; }

    // Is set by the rank of that place when it has written to the owner.
    std::atomic<uint64_t> &bells(int32_t place) const;
    enum class Mapped : uint8_t { no, yes, yes_and_readable };
    std::atomic<Mapped> &mapped_by(int32_t place) const;
    std::atomic<uint32_t> &closed() const; // by its owner

    // Of a mapped one: copies memory of its owner's program, whatever that does meanwhile. `not_there`: not what lies there; `nothing`: nothing of
    // it, as the system does not permit it, or that process is gone; errno says why.
    enum class Copied { done, not_there, nothing };
    Copied copy_from_owner(const void *from, void *to, size_t bytes) const;

private:
    bool fill(Trouble &trouble);

    SegmentAddress address_;
    unsigned char *front_ = nullptr;
    Ring *rings_ = nullptr;
    size_t rings_bytes_ = 0;
    int descriptor_ = -1; // of an own one
};

} // namespace halo::shm
