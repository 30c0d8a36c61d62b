// SPDX-License-Identifier: BSD-3-Clause
#include "match_table.h"

#include <new>

namespace halo::transport {

MatchTable::MatchTable() : buckets_(256), shift_(56) {
    for (Link &anchor : buckets_) make_ring(anchor);
}

// Without memory for more buckets the entries share those there are: slower, still right.
void MatchTable::grow() noexcept {
    std::vector<Link> old;
    try {
        old.resize(buckets_.size() * 4);
    } catch (const std::bad_alloc &) {
        return;
    }
    old.swap(buckets_);
    shift_ -= 2;
    for (Link &anchor : buckets_) make_ring(anchor);
    for (Link &anchor : old) {
        while (anchor.next != &anchor) {
            auto *entry = static_cast<Keyed *>(anchor.next);
            unlink(*entry);
            link_before(buckets_[bucket(entry->key)], *entry);
        }
    }
}

} // namespace halo::transport
