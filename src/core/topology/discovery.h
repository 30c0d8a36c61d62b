// SPDX-License-Identifier: BSD-3-Clause
// Messages to ranks that do not know that they come: who talks to whom is found on the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "comm/collective_stream.h"

namespace halo {

// Bytes to a rank, or from one.
struct Delivery {
    int32_t rank = -1;
    std::vector<std::byte> bytes;
};

enum class DiscoveryKind : uint8_t {
    alltoall,       // every rank tells every other whether it comes: least rounds, O(ranks) messages
    reduce_scatter, // every rank learns how many come: O(ranks) bytes, O(log ranks) messages
    consensus       // nobody is asked: all are done when all have been acknowledged everywhere. Nothing is O(ranks)
};

// The setting "discovery"; left open, by the number of ranks.
DiscoveryKind discovery_kind(const Context &context);

// Rounds of one set-up. All ranks call the same functions in the same order.
class Discovery {
public:
    // `what` goes into error texts.
    Discovery(Context &context, DiscoveryKind kind, std::string what);

    // Sends to each rank named, at most once each and never to this one; returns what comes, by rank.
    std::vector<Delivery> exchange(std::vector<Delivery> out);
    // The same between ranks that know of each other.
    std::vector<Delivery> answer(std::vector<Delivery> out, const std::vector<int32_t> &from);

    int64_t messages_sent() const { return messages_sent_; }
    int64_t bytes_sent() const { return bytes_sent_; }

private:
    void post(Collective &collective, int32_t rank, int32_t part, std::span<const std::byte> bytes);
    std::span<const std::byte> take(Collective &collective, int32_t rank, int32_t part);
    std::vector<int32_t> senders_by_alltoall(Collective &collective, const std::vector<Delivery> &out);
    int64_t count_by_reduce_scatter(Collective &collective, const std::vector<Delivery> &out);
    std::vector<Delivery> take_counted(Collective &collective, int64_t n);
    std::vector<Delivery> take_until_consensus(Collective &collective, const std::vector<Delivery> &out);

    Context &context_;
    DiscoveryKind kind_;
    std::string what_;
    int64_t messages_sent_ = 0;
    int64_t bytes_sent_ = 0;
};

} // namespace halo
