// SPDX-License-Identifier: BSD-3-Clause
#include "channel/channel_list.h"

#include <algorithm>
#include <tuple>

namespace halo {

namespace {

// Enough of a channel to sort most of them without looking at their records, which lie anywhere in memory.
struct Entry {
    uint32_t pair; // 2 * peer + 1 for receives
    uint32_t slot;
    int64_t send_gid;
    int64_t receive_gid;
};

std::vector<Entry> remote_entries(std::span<halo_channel *const> channels) {
    std::vector<Entry> entries;
    entries.reserve(channels.size());
    for (const halo_channel *channel : channels) {
        const Mailbox &box = channel->box;
        if (!(box.sends() && box.receives()))
            entries.push_back(
                { 2 * static_cast<uint32_t>(box.peer()) + (box.sends() ? 0 : 1), channel->slot, box.key().send_gid, box.key().receive_gid });
    }
    return entries;
}

void sort_entries(const ChannelRegistry &registry, std::vector<Entry> &entries) {
    const auto head = [](const Entry &entry) { return std::tie(entry.pair, entry.send_gid, entry.receive_gid); };
    std::sort(entries.begin(), entries.end(), [&](const Entry &a, const Entry &b) {
        if (head(a) != head(b)) return head(a) < head(b);
        return before(registry.at(a.slot).box.key(), registry.at(b.slot).box.key());
    });
}

void add_to(Digest &digest, const EndRecord &record) {
    digest.add(static_cast<uint64_t>(record.key.send_gid));
    digest.add(static_cast<uint64_t>(record.key.receive_gid));
    digest.add(static_cast<uint64_t>(static_cast<uint32_t>(record.key.field)) << 32 | static_cast<uint32_t>(record.key.element));
    digest.add(static_cast<uint64_t>(record.key.extra));
    digest.add(static_cast<uint64_t>(record.bytes));
    digest.add(static_cast<uint64_t>(record.type) << 2 | static_cast<uint64_t>(record.varies) << 1 | static_cast<uint64_t>(record.headless));
}

// Records lie in the order of registration, which may be any.
constexpr size_t look_ahead = 8;
void prefetch(const halo_channel &channel) {
    __builtin_prefetch(&channel.box);
    __builtin_prefetch(&channel.row);
}

} // namespace

EndRecord end_record(const halo_channel &channel) {
    const Mailbox &box = channel.box;
    return { box.key(), box.bytes(), channel.type, static_cast<int16_t>(box.headless()), static_cast<int16_t>(box.varies()) };
}

int64_t PairList::wire_bytes(const ChannelRegistry &registry, size_t i) const {
    return sends || theirs.empty() ? registry.at(slots[i]).box.bytes() : theirs[i].bytes;
}

bool PairList::bare(const ChannelRegistry &registry, size_t i) const {
    const bool owned = registry.at(slots[i]).box.headless() || (!theirs.empty() && theirs[i].headless);
    return owned && wire_bytes(registry, i) > 0;
}

std::vector<PairList> sort_into_pairs(const ChannelRegistry &registry, std::span<halo_channel *const> channels) {
    std::vector<Entry> entries = remote_entries(channels);
    sort_entries(registry, entries);
    std::vector<PairList> pairs;
    for (size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
        while (end < entries.size() && entries[end].pair == entries[begin].pair) ++end;
        PairList pair;
        pair.peer = static_cast<int32_t>(entries[begin].pair / 2);
        pair.sends = entries[begin].pair % 2 == 0;
        pair.slots.reserve(end - begin);
        for (size_t i = begin; i < end; ++i) {
            if (i + look_ahead < end) prefetch(registry.at(entries[i + look_ahead].slot));
            pair.slots.push_back(entries[i].slot);
            add_to(pair.digest, end_record(registry.at(entries[i].slot)));
        }
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

} // namespace halo
