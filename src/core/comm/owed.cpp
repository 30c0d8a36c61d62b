// SPDX-License-Identifier: BSD-3-Clause
#include "comm/owed.h"

#include <algorithm>

#include "base/erase.h"

namespace halo {

void OwedMessages::expect(Owed owed) {
    constexpr int64_t most_uncertain = 64; // each costs a look, and may never come
    const auto is_uncertain = [](const auto &entry) { return !entry->owed.certain && !entry->receiving; };
    if (!owed.certain && std::count_if(entries_.begin(), entries_.end(), is_uncertain) >= most_uncertain)
        entries_.erase(std::find_if(entries_.begin(), entries_.end(), is_uncertain));
    entries_.push_back(std::make_unique<Entry>());
    entries_.back()->owed = std::move(owed);
}

int64_t OwedMessages::take() {
    int64_t n_dropped = 0;
    erase_unordered(entries_, [&](const auto &entry) { return take(*entry, n_dropped); });
    return n_dropped;
}

// True: all of it is here.
bool OwedMessages::take(Entry &entry, int64_t &n_dropped) {
    const Owed &owed = entry.owed;
    while (true) {
        if (!entry.receiving) {
            halo_matched message{};
            if (!transport_.probe(owed.peer, 0, owed.tag, entry.bytes, message)) return false;
            const size_t room = std::max<size_t>(entry.bytes, 1);
            if (entry.buffer.bytes() < room) entry.buffer = pools_.get(HALO_MEMORY_HOST, room);
            transport_.receive_matched(message, owed.peer, entry.buffer.data(), entry.buffer.bytes(), entry.request);
            entry.receiving = true;
        }
        if (!transport_.test(entry.request, owed.peer, &entry.bytes)) return false;
        entry.receiving = false;
        n_dropped += owed.certain ? 0 : 1;
        if (owed.is_last({ entry.buffer.data(), entry.bytes })) return true;
    }
}

void OwedMessages::leave(int32_t tag) {
    std::erase_if(entries_, [&](const auto &entry) { return entry->owed.tag == tag && !entry->receiving; });
}

int32_t OwedMessages::debtor() const {
    const auto certain = std::find_if(entries_.begin(), entries_.end(), [](const auto &entry) { return entry->owed.certain; });
    return certain == entries_.end() ? -1 : (*certain)->owed.peer;
}

} // namespace halo
