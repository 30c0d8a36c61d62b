// SPDX-License-Identifier: BSD-3-Clause
// What the peer of a link may send in its runs, made of the input: handshakes that offer memory, data, and any bytes.
#pragma once

#include "bytes.h"
#include "stream/stream.h"
#include "two_contexts.h"

namespace fuzz {

// Memory of the peer.
struct Offered {
    halo::SharedBlock slots;
    halo::SharedBlock notice;
};

class RunMessages {
public:
    // `inward`: what the link expects. `outward`: the digest of what it sends.
    RunMessages(uint32_t serial, const halo::StreamDirection &inward, const halo::Digest &outward, const Offered &memory)
        : serial_(serial),
          inward_(inward),
          outward_(outward),
          memory_(memory) {}

    // Small enough to be sent at once.
    std::vector<std::byte> next(Input &input) const;

private:
    halo::MessageHeader header_of(halo::MessageKind kind) const;
    std::vector<std::byte> any_message(Input &input) const;
    std::vector<std::byte> handshake(Input &input) const;
    std::vector<std::byte> data(Input &input) const;
    std::vector<std::byte> part(Input &input) const;

    uint32_t serial_;
    halo::StreamDirection inward_;
    halo::Digest outward_;
    Offered memory_;
};

// What was not wanted must not wait for the next input.
struct Drained {
    const halo::TwoContexts &ranks;
    int32_t tag;
    ~Drained() { ranks.drain(tag); }
};

} // namespace fuzz
