// SPDX-License-Identifier: BSD-3-Clause
// Posted receives, or messages nobody asked for yet, found by (peer, lane, tag) and kept in order of arrival for each.
// Belongs to the receiving thread alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace halo::transport {

// (peer, lane, tag) in one word: 16, 16 and 32 bits.
using Key = uint64_t;
inline Key make_key(int32_t peer, int32_t lane, int32_t tag) {
    return static_cast<Key>(static_cast<uint32_t>(peer)) << 48 | static_cast<Key>(static_cast<uint32_t>(lane)) << 32 | static_cast<uint32_t>(tag);
}
inline int32_t peer_of(Key key) { return static_cast<int32_t>(key >> 48); }
inline int32_t lane_of(Key key) { return static_cast<int32_t>(key >> 32 & 0xffff); }
inline int32_t tag_of(Key key) { return static_cast<int32_t>(key & 0xffffffff); }

// Doubly linked, intrusive; also the anchor of a ring.
struct Link {
    Link *previous = nullptr;
    Link *next = nullptr;
};

inline void make_ring(Link &anchor) { anchor.previous = anchor.next = &anchor; }
inline void link_before(Link &place, Link &link) {
    link.previous = place.previous;
    link.next = &place;
    place.previous->next = &link;
    place.previous = &link;
}
inline void unlink(Link &link) {
    link.previous->next = link.next;
    link.next->previous = link.previous;
}

struct Keyed : Link {
    Key key = 0;
};

class MatchTable {
public:
    MatchTable();

    // Oldest entry with this key, or nullptr.
    Keyed *find(Key key) const {
        const Link &anchor = buckets_[bucket(key)];
        for (Link *link = anchor.next; link != &anchor; link = link->next) {
            auto *entry = static_cast<Keyed *>(link);
            if (entry->key == key) return entry;
        }
        return nullptr;
    }

    // Allocates only when the table has never been that full.
    void push(Keyed &entry) {
        if (count_ >= max_load * buckets_.size()) [[unlikely]]
            grow();
        link_before(buckets_[bucket(entry.key)], entry);
        ++count_;
    }
    void remove(Keyed &entry) {
        unlink(entry);
        --count_;
    }

private:
    static constexpr size_t max_load = 4; // entries per bucket
    size_t bucket(Key key) const { return static_cast<size_t>(key * 0x9e3779b97f4a7c15u >> shift_); }
    void grow() noexcept;

    std::vector<Link> buckets_;
    size_t count_ = 0;
    int shift_; // 64 - log2(buckets)
};

} // namespace halo::transport
