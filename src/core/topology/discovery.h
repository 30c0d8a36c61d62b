// SPDX-License-Identifier: BSD-3-Clause
// Messages to ranks that do not know that they come: who talks to whom is found on the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "channel/courier.h"

namespace halo {

// Tags of lane 0 for set-up of topologies.
inline constexpr int32_t discovery_tag = 4; // and the next: rounds alternate, so that a fast rank's next round cannot be taken for this one
inline constexpr int32_t acknowledge_tag = 6;
inline constexpr int32_t consensus_tag = 7;
inline constexpr int32_t counts_tag = 8;
inline constexpr int32_t answer_tag = 9;

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
    void post(int32_t rank, int32_t tag, std::vector<std::byte> bytes);
    std::vector<std::byte> take(int32_t rank, int32_t tag);
    std::optional<Delivery> take_any(int32_t tag);
    void send_all(std::vector<Delivery> &out, int32_t tag);
    std::vector<int32_t> senders_by_alltoall(const std::vector<Delivery> &out);
    int64_t count_by_reduce_scatter(const std::vector<Delivery> &out);
    std::vector<Delivery> take_counted(int64_t n, int32_t tag);
    std::vector<Delivery> take_until_consensus(const std::vector<Delivery> &out, int32_t tag);

    Context &context_;
    DiscoveryKind kind_;
    std::string what_;
    Courier courier_;
    int32_t round_ = 0;
    int64_t messages_sent_ = 0;
    int64_t bytes_sent_ = 0;
};

} // namespace halo
