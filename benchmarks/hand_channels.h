// SPDX-License-Identifier: BSD-3-Clause
// Channels by hand between ranks 0 and 1: as many from each to the other. The other ranks have none.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "session.h"

namespace bench {

class HandChannels {
public:
    // Of `bytes` each; `messages`: HALO_MESSAGES_PER_CHANNEL or HALO_MESSAGES_AGGREGATE; at most one of each kind at a time. The caller's work
    // on a buffer is to write and check `pieces` values in it; 0: it is left alone. Collective.
    HandChannels(const Session &session, int32_t n, int64_t bytes, int32_t messages, int32_t pieces = 1);

    // Ranks 0 and 1: seconds for `rounds` runs there and back, rank 0 first. Each buffer carries the number of the round and is checked.
    double ping_pong(int64_t rounds);
    // Both ways at once.
    double both_ways(int64_t rounds);

private:
    void send(int64_t round);
    void start_receive();
    void finish_receive(int64_t round);

    void write(void *data, int64_t round) const;
    void verify(const void *data, int64_t round) const;

    int32_t rank_;
    bool aggregate_;
    int32_t pieces_;
    int64_t piece_bytes_;
    std::vector<halo::Channel> sends_, receives_;
    std::unique_ptr<halo::Group> group_;
    int64_t done_ = 0; // rounds
};

} // namespace bench
