// SPDX-License-Identifier: BSD-3-Clause
// The channels that a rank brings to a commit, in the order in which both ends number them: by ordered pair of ranks, then by key.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "channel/registry.h"
#include "halo_channel.h"

namespace halo {

// One channel as the ends compare it.
struct EndRecord {
    halo_channel_key key;
    int64_t bytes;
    halo_type type;
    int16_t headless; // see MailBuffer
    int16_t varies;
};
static_assert(sizeof(EndRecord) == 48);

EndRecord end_record(const halo_channel &channel);

// The channels of one direction between this rank and a peer.
struct PairList {
    int32_t peer = -1;
    bool sends = false; // this rank is the sender
    std::vector<uint32_t> slots;
    Digest digest;
    std::vector<EndRecord> theirs; // empty: exactly as here

    int64_t wire_bytes(const ChannelRegistry &registry, size_t i) const; // what the sender's end has
    bool bare(const ChannelRegistry &registry, size_t i) const;
};

// Channels whose ends are both here are left out.
std::vector<PairList> sort_into_pairs(const ChannelRegistry &registry, std::span<halo_channel *const> channels);

} // namespace halo
