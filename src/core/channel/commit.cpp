// SPDX-License-Identifier: BSD-3-Clause
#include "channel/commit.h"

#include <algorithm>
#include <array>

#include "base/checked.h"
#include "base/limits.h"
#include "base/types.h"
#include "channel/aggregate.h"
#include "comm/collective.h"
#include "comm/route.h"

namespace halo {

namespace {

constexpr int most_named_differences = 3; // in an error text

// Lists go both ways: those of channels to a higher rank, and to a lower one. Announcements have a part for each step of their way.
enum Part : int32_t { arrival_part, edges_up_part, edges_down_part, announce_part };

Part edges_part(const PairList &list, int32_t here) { return (here < list.peer) == list.sends ? edges_up_part : edges_down_part; }

} // namespace

Commit::Commit(ChannelRegistry &registry, halo_channel *const *channels, int64_t n, const halo_group_desc &desc)
    : registry_(registry),
      given_(channels),
      n_given_(n),
      desc_(desc) {}

std::vector<PairList> Commit::run() {
    try {
        check_channels();
        check_memory();
        sort_channels();
        if (desc_.messages != HALO_MESSAGES_PER_CHANNEL) check_room();
    } catch (const Error &error) {
        misuse_ = error;
    }
    {
        Collective collective(context(), CollectiveKind::commit, 0);
        announce(collective);
        compare(collective);
        collective.finish();
    }
    agree();
    return std::move(pairs_);
}

void Commit::check_channels() {
    check_limit("group: n", n_given_, limits::listed);
    if (n_given_ < 0 || (n_given_ > 0 && !given_))
        fail(HALO_ERR_ARGUMENT, "group: %lld channels at address %p", static_cast<long long>(n_given_), static_cast<const void *>(given_));
    channels_ = { given_, static_cast<size_t>(n_given_) };
    if (desc_.messages < HALO_MESSAGES_AUTO || desc_.messages > HALO_MESSAGES_PER_CHANNEL)
        fail(HALO_ERR_ARGUMENT, "group: messages is %d", desc_.messages);
    for (size_t i = 0; i < channels_.size(); ++i) {
        const halo_channel *channel = channels_[i];
        if (!channel) fail(HALO_ERR_ARGUMENT, "group: channel %zu is NULL", i);
        if (channel->magic != halo_channel::alive) fail(HALO_ERR_HANDLE, "group: channel %zu is destroyed", i);
        if (channel->registry != &registry_) fail(HALO_ERR_ARGUMENT, "group: %s belongs to another context", channel->box.describe().c_str());
        if (channel->box.serial() != 0) fail(HALO_ERR_STATE, "group: %s is in a group already", channel->box.describe().c_str());
    }
    check_duplicates();
}

// The device is opened here, where all ranks hear of one that is not there.
void Commit::check_memory() const {
    const bool on_device = desc_.memory == HALO_MEMORY_DEVICE;
    const int32_t flags = desc_.flags_memory;
    if (!on_device && desc_.memory != HALO_MEMORY_HOST)
        fail(HALO_ERR_ARGUMENT, "group: memory is %d, neither HALO_MEMORY_HOST nor HALO_MEMORY_DEVICE", desc_.memory);
    if (on_device && desc_.messages == HALO_MESSAGES_PER_CHANNEL)
        fail(HALO_ERR_ARGUMENT, "group: memory on device %d, and one message per channel: their own descriptions say where channels are",
             desc_.device);
    if (desc_.device < 0 || (!on_device && desc_.device != 0))
        fail(HALO_ERR_ARGUMENT, "group: there is no %s memory of device %d", memory_name(desc_.memory), desc_.device);
    if (flags != HALO_MEMORY_HOST && (!on_device || (flags != HALO_MEMORY_PINNED && flags != HALO_MEMORY_DEVICE)))
        fail(HALO_ERR_ARGUMENT, "group: flags_memory is %d, with slices in %s memory", flags, memory_name(desc_.memory));
    if (on_device) registry_.context().device_of(space_of(desc_.memory, desc_.device));
}

// Channels that are in no group do not need their row.
void Commit::check_duplicates() const {
    for (size_t i = 0; i < channels_.size(); ++i) channels_[i]->row = static_cast<uint32_t>(i);
    for (size_t i = 0; i < channels_.size(); ++i)
        if (channels_[i]->row != i)
            fail(HALO_ERR_ARGUMENT, "group: channels %zu and %u are the same, %s", i, channels_[i]->row, channels_[i]->box.describe().c_str());
}

void Commit::sort_channels() {
    pairs_ = sort_into_pairs(registry_, channels_);
    for (PairList &pair : pairs_) {
        Peer &peer = peers_[pair.peer];
        (pair.sends ? peer.sent : peer.received) = &pair;
        (pair.sends ? peer.mine.n_sent : peer.mine.n_received) = static_cast<int64_t>(pair.slots.size());
        (pair.sends ? peer.mine.sent : peer.mine.received) = pair.digest;
    }
}

// Here, where all ranks hear of a refusal.
void Commit::check_room() const {
    for (const PairList &pair : pairs_) {
        int64_t begin = 0;
        for (const uint32_t slot : pair.slots) {
            if (begin > AggregateRun::last_begin)
                fail(HALO_ERR_LIMIT, "group: the channels with rank %d have more than %lld bytes in one message", pair.peer,
                     static_cast<long long>(AggregateRun::last_begin));
            begin = AggregateRun::slice_end(begin, registry_.at(slot).box.bytes());
        }
    }
    int64_t begin = 0;
    for (const halo_channel *channel : channels_) {
        if (!channel->box.sends() || !channel->box.receives()) continue;
        if (begin > AggregateRun::last_begin)
            fail(HALO_ERR_LIMIT, "group: the channels within rank %d have more than %lld bytes", context().rank(),
                 static_cast<long long>(AggregateRun::last_begin));
        begin = AggregateRun::slice_end(begin, channel->box.bytes());
    }
}

void Commit::announce(Collective &collective) {
    std::vector<Announcement> mine;
    for (auto &[rank, peer] : peers_) {
        peer.mine.to = rank;
        peer.mine.from = context().rank();
        mine.push_back(peer.mine);
        collective.send(rank, arrival_part, {});
    }
    const auto missing_from = [&](int32_t partner) { return missing(collective, partner); };
    for (const Announcement &announcement : route(context(), collective, std::move(mine), missing_from, announce_part)) {
        if (announcement.from < 0 || announcement.from >= context().size() || announcement.from == context().rank())
            fail(HALO_ERR_WIRE, "group: channels with rank %d of %d ranks are announced to rank %d", announcement.from, context().size(),
                 context().rank());
        peers_[announcement.from].theirs = announcement;
    }
    for (auto &[rank, peer] : peers_)
        if (peer.theirs.from >= 0) collective.receive(rank, arrival_part, [&, rank = rank] { return missing_from(rank); });
}

void Commit::take_arrivals(Collective &collective) {
    for (auto &[rank, peer] : peers_) peer.arrived = collective.has_come(rank, arrival_part);
}

std::string Commit::missing(Collective &collective, int32_t partner) {
    take_arrivals(collective);
    std::string text;
    for (const auto &[rank, peer] : peers_)
        if (!peer.arrived)
            text += format("%s rank %d (%lld channels to it, %lld from it)", text.empty() ? "" : ",", rank, static_cast<long long>(peer.mine.n_sent),
                           static_cast<long long>(peer.mine.n_received));
    return "group commit: missing" + (text.empty() ? format(" rank %d, or one that it waits for", partner) : text);
}

// Where the announcements of a direction differ, both ends see it and swap their lists: first from the lower rank to the higher.
void Commit::compare(Collective &collective) {
    std::vector<PairList> lists;
    for (auto &[rank, peer] : peers_)
        for (const bool sends : { context().rank() < rank, context().rank() > rank }) {
            const bool same = sends ? peer.mine.n_sent == peer.theirs.n_received && peer.mine.sent == peer.theirs.received
                                    : peer.mine.n_received == peer.theirs.n_sent && peer.mine.received == peer.theirs.sent;
            if (same) continue;
            PairList *list = sends ? peer.sent : peer.received;
            lists.push_back(list ? *list : PairList{ rank, sends, {}, {}, {} });
            send_list(collective, lists.back());
        }
    for (PairList &list : lists) {
        const auto missing = [&] { return format("group commit: the channels of rank %d", list.peer); };
        auto theirs = from_bytes<EndRecord>(collective.receive(list.peer, edges_part(list, context().rank()), missing));
        for (const EndRecord &record : theirs)
            if (record.bytes < 0 || record.bytes > limits::channel_bytes)
                fail(HALO_ERR_WIRE, "group: rank %d tells of %lld bytes of channel %s", list.peer, static_cast<long long>(record.bytes),
                     describe(record.key).c_str());
        compare_lists(list, std::move(theirs));
    }
}

void Commit::send_list(Collective &collective, const PairList &list) {
    std::vector<EndRecord> records;
    records.reserve(list.slots.size());
    for (const uint32_t slot : list.slots) records.push_back(end_record(registry_.at(slot)));
    collective.send(list.peer, edges_part(list, context().rank()), to_bytes(records));
}

// Both lists are sorted by key. What may differ is the memory, and the size where the receiver's is larger: then theirs is kept.
void Commit::compare_lists(PairList &mine, std::vector<EndRecord> theirs) {
    std::string text;
    int64_t n_different = 0;
    const auto note = [&](const EndRecord *here, const EndRecord *there) {
        const std::string difference_text = difference(mine, here, there);
        if (!difference_text.empty() && ++n_different <= most_named_differences) text += (text.empty() ? "" : "; ") + difference_text;
    };
    size_t i = 0;
    size_t k = 0;
    while (i < mine.slots.size() || k < theirs.size()) {
        const EndRecord here = i < mine.slots.size() ? end_record(registry_.at(mine.slots[i])) : EndRecord{};
        const bool only_here = k == theirs.size() || (i < mine.slots.size() && before(here.key, theirs[k].key));
        const bool only_there = !only_here && (i == mine.slots.size() || before(theirs[k].key, here.key));
        note(only_there ? nullptr : &here, only_here ? nullptr : &theirs[k]);
        i += only_there ? 0 : 1;
        k += only_here ? 0 : 1;
    }
    if (n_different > most_named_differences) text += format("; and %lld more", static_cast<long long>(n_different - most_named_differences));
    if (n_different > 0 && !mismatch_) mismatch_ = Error(HALO_ERR_MISMATCH, "group: " + text);
    for (PairList &pair : pairs_)
        if (pair.peer == mine.peer && pair.sends == mine.sends) pair.theirs = std::move(theirs);
}

// Empty: they fit together.
std::string Commit::difference(const PairList &list, const EndRecord *mine, const EndRecord *theirs) const {
    const int32_t here = context().rank();
    const int32_t from = list.sends ? here : list.peer;
    const int32_t to = list.sends ? list.peer : here;
    const std::string ends = format("channel %s from rank %d to rank %d", describe(mine ? mine->key : theirs->key).c_str(), from, to);
    if (!theirs) return ends + format(": rank %d brings no such channel, rank %d does", list.peer, here);
    if (!mine) return ends + format(": rank %d brings it, rank %d ", list.peer, here) + whereabouts(*theirs);
    const EndRecord &sender = list.sends ? *mine : *theirs;
    const EndRecord &receiver = list.sends ? *theirs : *mine;
    if (sender.type != receiver.type)
        return ends + format(": rank %d sends %s, rank %d receives %s", from, type_name(sender.type), to, type_name(receiver.type));
    if (sender.varies != receiver.varies)
        return ends + format(": rank %d has it with `varies`, rank %d without", sender.varies ? from : to, sender.varies ? to : from);
    if (sender.bytes > receiver.bytes)
        return ends + format(": rank %d sends %lld bytes, rank %d receives at most %lld", from, static_cast<long long>(sender.bytes), to,
                             static_cast<long long>(receiver.bytes));
    return {};
}

// What this rank knows of a channel that the peer brings and this rank does not.
std::string Commit::whereabouts(const EndRecord &theirs) const {
    const halo_channel *channel = registry_.find(theirs.key);
    if (!channel) return "has not registered it";
    const bool brought = channel->row < channels_.size() && channels_[channel->row] == channel;
    return std::string(brought ? "brings it as " : "brings it not, but has registered it as ") + channel->box.describe();
}

void Commit::agree() {
    const int64_t rank = context().rank();
    const int64_t nobody = context().size();
    const bool per_channel = desc_.messages == HALO_MESSAGES_PER_CHANNEL;
    std::array<int64_t, 4> first{ misuse_ ? rank : nobody, mismatch_ ? rank : nobody, per_channel ? nobody : rank, per_channel ? rank : nobody };
    allreduce(context(), first.data(), first.data(), first.size(), HALO_INT64, HALO_MIN);
    const auto [misuse, mismatch, aggregating, separate] = first;
    report(misuse_, misuse, HALO_ERR_PEER);
    if (aggregating < nobody && separate < nobody)
        fail(HALO_ERR_MISMATCH, "group: rank %lld commits aggregated channels, rank %lld one message per channel",
             static_cast<long long>(aggregating), static_cast<long long>(separate));
    report(mismatch_, mismatch, HALO_ERR_MISMATCH);
}

// The failing ranks keep their own errors, the others get the first one's text.
void Commit::report(const std::optional<Error> &own, int64_t failing_rank, halo_status status) {
    if (failing_rank == context().size()) return;
    fail_together(context(), static_cast<int32_t>(failing_rank), own, status,
                  format("group: rank %lld has refused its channels", static_cast<long long>(failing_rank)));
}

} // namespace halo
