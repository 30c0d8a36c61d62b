// SPDX-License-Identifier: BSD-3-Clause
// What two ranks tell each other ahead of the first data: the digests of what each sends and receives, memory that the other may use, and in words
// what they must have alike: in the handshake as much as has room there. If the digests differ, the error names the first of those that does; if none
// does there, both send the rest of them and their edges.
#pragma once

#include <string>
#include <vector>

#include "base/digest.h"
#include "base/terms.h"
#include "memory/process.h"
#include "memory/shared_arena.h"
#include "stream/wire.h"
#include "stream/wire_edge.h"

namespace halo {

struct HandshakePayload {
    Digest send;
    Digest receive;
    SharedOffer slots;  // where this rank writes payloads
    SharedOffer notice; // where it tells of its storage
    Process process;    // that this rank is
};
inline constexpr size_t most_terms_bytes = 65536; // behind it: those of some hundred fields

// The edges of one rank towards another.
struct WireEdges {
    std::vector<WireEdge> sending;
    std::vector<WireEdge> receiving;

    // As they travel: those that are sent, then those that are received.
    std::vector<WireEdge> joined() const;
    static WireEdges split(std::vector<WireEdge> joined, size_t n_sending);
};

// What differs between two ranks whose digests do. What the lower rank sends comes first, so that both ranks name the same.
std::string difference(const WireEdges &own, int32_t own_rank, const WireEdges &peers, int32_t peer, const NameOfKey &name = describe);

} // namespace halo
