// SPDX-License-Identifier: BSD-3-Clause
// Channels by hand between ranks 0 and 1: as many from each to the other. The other ranks have none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "halo_channel.hpp"
#include "session.h"

namespace bench {

class HandChannels {
public:
    // Of `bytes` each; `messages`: HALO_MESSAGES_PER_CHANNEL or HALO_MESSAGES_AGGREGATE; at most one of each kind at a time. In each buffer
    // the caller writes and checks the number of the round `pieces` times: in every round, or in the last of a call alone. Collective.
    HandChannels(const Session &session, int32_t n, int64_t bytes, int32_t messages, int32_t pieces = 1, bool every_round = true);

    // Ranks 0 and 1: seconds for `rounds` runs there and back, rank 0 first.
    double ping_pong(int64_t rounds);
    // Both ways at once.
    double both_ways(int64_t rounds);

private:
    void send(int64_t round, bool touched);
    void start_receive();
    void finish_receive(int64_t round, bool touched);
    void write(void *data, int64_t round) const;
    void verify(const void *data, int64_t round) const;

    int32_t rank_;
    bool aggregate_;
    int32_t pieces_;
    int64_t piece_bytes_;
    bool every_round_;
    std::vector<halo::Channel> sends_, receives_;
    std::unique_ptr<halo::Group> group_;
    int64_t done_ = 0; // rounds
};

} // namespace bench
