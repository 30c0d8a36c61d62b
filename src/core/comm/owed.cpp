// SPDX-License-Identifier: BSD-3-Clause
#include "comm/owed.h"

#include <algorithm>
#include <utility>

#include "base/erase.h"
#include "comm/context.h"

namespace halo {

void OwedMessages::expect(Owed owed) {
    constexpr int64_t most_uncertain = 64; // each costs a look, and may never come
    const auto is_uncertain = [](const auto &entry) { return !entry->owed.certain && !entry->in_flight; };
    if (!owed.certain && std::count_if(entries_.begin(), entries_.end(), is_uncertain) >= most_uncertain)
        entries_.erase(std::find_if(entries_.begin(), entries_.end(), is_uncertain));
    entries_.push_back(std::make_unique<Entry>());
    entries_.back()->peer = owed.peer;
    entries_.back()->owed = std::move(owed);
}

int64_t OwedMessages::take() {
    int64_t n_dropped = 0;
    erase_unordered(entries_, [&](const auto &entry) { return take_unless_lost(*entry, n_dropped); });
    return n_dropped;
}

// A rank that is gone is no reason not to hear the others, and nobody waits for it.
bool OwedMessages::take_unless_lost(Entry &entry, int64_t &n_dropped) {
    try {
        return take(entry, n_dropped);
    } catch (const Error &error) {
        if (error.status() != HALO_ERR_TRANSPORT) throw;
        if (!std::exchange(entry.lost, true)) context_.note_lost(error);
        return false;
    }
}

// True: all of it is here.
bool OwedMessages::take(Entry &entry, int64_t &n_dropped) {
    const Owed &owed = entry.owed;
    Fabric &fabric = context_.fabric();
    while (true) {
        if (!entry.in_flight) {
            Matched message{};
            if (!fabric.probe(owed.peer, 0, owed.tag, entry.bytes, message)) return false;
            const size_t room = std::max<size_t>(entry.bytes, 1);
            if (entry.buffer.bytes() < room) entry.buffer = context_.host_buffer(room);
            fabric.receive_matched(message, owed.peer, entry.buffer.data(), entry.buffer.bytes(), entry.request);
            entry.in_flight = true;
        }
        if (!is_complete(entry, fabric, &entry.bytes)) return false;
        n_dropped += owed.certain ? 0 : 1;
        if (entry.left || owed.is_last({ entry.buffer.data(), entry.bytes })) return true;
    }
}

void OwedMessages::leave(int32_t tag) {
    std::erase_if(entries_, [&](const auto &entry) {
        entry->left = entry->left || entry->owed.tag == tag;
        return entry->left && !entry->in_flight;
    });
}

void OwedMessages::hand_over() noexcept {
    for (auto &entry : entries_) {
        if (!entry->in_flight) continue;
        entry->abandoned = true;
        context_.linger(std::move(entry));
    }
    entries_.clear();
}

int32_t OwedMessages::debtor() const {
    const auto certain = std::find_if(entries_.begin(), entries_.end(), [](const auto &entry) { return entry->owed.certain && !entry->lost; });
    return certain == entries_.end() ? -1 : (*certain)->owed.peer;
}

} // namespace halo
