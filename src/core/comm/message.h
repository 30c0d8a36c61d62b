// SPDX-License-Identifier: BSD-3-Clause
// What stands in front of every message between ranks. All fields are checked in release builds too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "halo.h"

namespace halo {

inline constexpr uint32_t message_magic = 0x4f4c4148; // "HALO"
inline constexpr uint8_t wire_version = 1;

enum class MessageKind : uint8_t {
    handshake = 1, // plan digests, ahead of the first data
    data = 2,
    failure = 3, // status and text of a rank that could not start
    credit = 4,  // "consumed", where no data go back
    keys = 5,    // the sender's edges, after a mismatch
};

// How a run is narrowed; both ends must agree.
struct Narrowing {
    uint64_t mask_hash = 0;
    int32_t first_component = 0;
    int32_t n_components = 0;
    int32_t depth = 0;
    bool operator==(const Narrowing &) const = default;
};

// The payload lies in the sender's shared memory, in the slot of an odd or an even run, and not behind the header.
inline constexpr uint16_t flag_shared = 1;
// The sender of this header can read the other end's shared memory.
inline constexpr uint16_t flag_reads_shared = 2;
// There is no payload: the sender has written into the receiver's storage.
inline constexpr uint16_t flag_landed = 4;

// The sender of this header would rather not have its storage written into.
inline constexpr uint16_t flag_prefers_messages = 8;

// There is no payload: the receiver reads it in the sender's storage.
inline constexpr uint16_t flag_lent = 16;
// The sender of this header knows where the other end's storage is.
inline constexpr uint16_t flag_has_notice = 32;

struct MessageHeader {
    uint32_t magic;
    uint8_t version;
    MessageKind kind;
    uint16_t flags;  // MessageFlag bits
    uint32_t serial; // of the exchange or group
    uint32_t epoch;  // of the run, from 1
    uint64_t digest; // of the plan, as the sender compiled it for this direction
    uint64_t payload_bytes;
    uint32_t n_states; // sparse edges: 2 bits each follow the header
    int32_t status;
    uint64_t mask_hash;
    int32_t first_component;
    int32_t n_components;
    int32_t depth;
    uint32_t consumed; // last epoch of the other direction that the sender has consumed
};
static_assert(sizeof(MessageHeader) == 64, "the header is part of the wire format");

// Two bits of a sparse edge.
enum class EdgeState : uint8_t { null = 0, data = 1, null_with_hole = 2 };

// Bytes of header and states before the payload, a multiple of 16.
constexpr size_t payload_offset(uint32_t n_states) { return sizeof(MessageHeader) + (static_cast<size_t>(n_states) + 63) / 64 * 16; }

inline EdgeState edge_state(const std::byte *message, uint32_t i) {
    return static_cast<EdgeState>((static_cast<uint8_t>(message[sizeof(MessageHeader) + i / 4]) >> (i % 4 * 2)) & 3u);
}
inline void set_edge_state(std::byte *message, uint32_t i, EdgeState state) {
    std::byte &cell = message[sizeof(MessageHeader) + i / 4];
    const unsigned shift = i % 4 * 2;
    cell = static_cast<std::byte>((static_cast<unsigned>(cell) & ~(3u << shift)) | (static_cast<unsigned>(state) << shift));
}

// All of a message's `n` edges: do they carry data?
void set_all_data(std::byte *message, uint32_t n);
bool are_all_data(const std::byte *message, uint32_t n);

// 128 bits over a sequence of values.
struct Digest {
    uint64_t low = 0x9e3779b97f4a7c15u;
    uint64_t high = 0xc2b2ae3d27d4eb4fu;
    bool operator==(const Digest &) const = default;

    void add(uint64_t value) {
        low = mix(low ^ value);
        high = mix(high + value * 0x9fb21c651e98df25u);
    }
    void add_text(const char *text) {
        for (; *text; ++text) add(static_cast<uint8_t>(*text));
        add(0xff);
    }
    static constexpr uint64_t mix(uint64_t x) {
        x ^= x >> 32;
        x *= 0xd6e8feb86659fd93u;
        x ^= x >> 32;
        x *= 0xd6e8feb86659fd93u;
        return x ^ (x >> 32);
    }
};

// Check mode: what bytes on their way should still sum up to at the other end. Every single changed bit is noticed.
uint64_t checksum(const void *data, size_t bytes);

// One edge as ranks compare it.
struct WireEdge {
    halo_channel_key key;
    int64_t bytes;
    int32_t type;
    uint32_t pattern; // tells which points are left out
    bool operator==(const WireEdge &other) const;
};
static_assert(sizeof(WireEdge) == 48);

// "3 -> 7, field 2, element 14" (and ", extra 5" where it is not 0).
std::string describe(const halo_channel_key &key);

// Order of edges in a message: by send gid, receive gid, field, element, extra.
bool before(const halo_channel_key &a, const halo_channel_key &b);
bool equal(const halo_channel_key &a, const halo_channel_key &b);

} // namespace halo
