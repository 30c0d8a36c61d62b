// SPDX-License-Identifier: BSD-3-Clause
// The collective check of a group's channels: both ends must be there and agree, or nothing is changed on any rank.
//
// Every rank announces to its peers how many channels it has with them and a digest of their keys, sizes and types. Announcements are
// routed through the other ranks in O(log ranks) rounds, so that a rank also hears of peers it knows nothing about. Only where
// digests differ the lists are swapped. At the end all ranks agree on the verdict.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "channel/channel_list.h"
#include "comm/collective_stream.h"
#include "halo_channel.h"

namespace halo {

class Commit {
public:
    Commit(ChannelRegistry &registry, halo_channel *const *channels, int64_t n, const halo_group_desc &desc);

    // Collective. Fails on every rank or on none, except for HALO_TIMEOUT. Each channel's row is then its number.
    std::vector<PairList> run();

private:
    struct Announcement {
        int32_t to = -1;
        int32_t from = -1;
        int64_t n_sent = 0;
        int64_t n_received = 0;
        Digest sent;
        Digest received;
    };
    // What both sides say about one peer, and the own lists.
    struct Peer {
        Announcement mine;
        Announcement theirs;
        PairList *sent = nullptr;
        PairList *received = nullptr;
        bool arrived = false;
    };

    Context &context() const { return registry_.context(); }
    void check_channels();
    void check_duplicates() const;
    void check_memory() const;
    void sort_channels();
    void check_room() const;
    void announce(Collective &collective);
    void take_arrivals(Collective &collective);
    std::string missing(Collective &collective, int32_t partner);
    void compare(Collective &collective);
    void send_list(Collective &collective, const PairList &list);
    void compare_lists(PairList &mine, std::vector<EndRecord> theirs);
    std::string difference(const PairList &list, const EndRecord *mine, const EndRecord *theirs) const;
    std::string whereabouts(const EndRecord &theirs) const;
    void agree();
    void report(const std::optional<Error> &own, int64_t failing_rank, halo_status status);

    ChannelRegistry &registry_;
    halo_channel *const *given_;
    int64_t n_given_;
    std::span<halo_channel *const> channels_; // those given, once they are known to be a list
    const halo_group_desc &desc_;
    std::vector<PairList> pairs_;
    std::map<int32_t, Peer> peers_;
    std::optional<Error> misuse_;   // of this rank
    std::optional<Error> mismatch_; // between this rank and a peer
};

} // namespace halo
