// SPDX-License-Identifier: BSD-3-Clause
// What stands in front of every message of a stream, and the check of it, which release builds do too.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/digest.h"
#include "halo.h"

namespace halo {

inline constexpr uint32_t message_magic = 0x4f4c4148;   // "HALO"
inline constexpr uint32_t reduction_magic = 0x4f434552; // "RECO": in place of it, in front of the values of a reduction
inline constexpr uint8_t wire_version = 13;

// Numbers of objects and runs go in a circle: those compared are less than half of it apart.
constexpr bool is_before(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) < 0; }

enum class MessageKind : uint8_t {
    handshake = 1, // plan digests, ahead of the first data
    data = 2,
    failure = 3, // status and text, in place of data; one that lasts may be that of the next run already
    credit = 4,  // "consumed", where no data go back
    keys = 5,    // the sender's edges, after a mismatch
    terms = 6,   // what both must have alike, where a handshake has not room for all of it, after a mismatch
};

// Layers of ghosts of a run, low x, y, z, high x, y, z, in 26 bits: all; the same number in each direction; up to 15 in each; else a sum of them.
struct WireGhosts {
    using Widths = std::array<int32_t, 6>;
    static uint32_t word_of(const Widths &widths);
    // None: only a sum is known. INT32_MAX: all.
    static std::optional<Widths> widths_of(uint32_t word);
};

// How a run is narrowed; both ends must agree.
struct Narrowing {
    uint32_t pieces = 0; // a bit for each that takes part, or, of more than 32, a sum of their marks; 0: all
    uint32_t batch = 0;  // number of the batch of accesses that runs it; 0: none
    int32_t first_component = 0;
    int32_t n_components = 0;   // of_none: no piece takes part
    uint32_t ghosts_and_op = 0; // WireGhosts, and above it the operation; 0: as the exchange says
    bool operator==(const Narrowing &) const = default;

    halo_op op() const { return static_cast<halo_op>(ghosts_and_op >> op_shift); }
    static constexpr uint32_t op_shift = 26;
    uint32_t ghosts() const { return ghosts_and_op & ((1u << op_shift) - 1); }

    static constexpr int32_t of_none = -1;
    bool takes_any() const { return n_components != of_none; }

    // Of `n` pieces.
    void add(size_t piece, size_t n) { pieces = n <= most_listed ? pieces | 1u << piece : (pieces ^ mark(piece)) | 1u; }
    bool takes(size_t piece) const { return takes_any() && (pieces == 0 || (pieces >> piece & 1u) != 0); }

    static constexpr size_t most_listed = 32;
    // Of one of many: what stands in one sum of marks and not in the other is the sum of those that are in one of the two alone.
    static uint32_t mark(size_t piece) { return static_cast<uint32_t>(Digest::mix(piece + 1)) & ~1u; }
};

// Where the dense values of a data message lie, if not in its payload: one of these at most.
inline constexpr uint16_t flag_put = 4;     // in the receiver's storage, where the sender has written it
inline constexpr uint16_t flag_get = 16;    // in the sender's storage, where the receiver reads it
inline constexpr uint16_t flag_apart = 256; // in the one part that follows (stream/parts.h): of a device's memory, so without a checksum
inline constexpr uint16_t location_flags = flag_put | flag_get | flag_apart;

// Its payload, but for what check mode adds, follows in messages of its own (stream/parts.h).
inline constexpr uint16_t flag_parts = 128;

// What the sender of a header can do, or would rather.
inline constexpr uint16_t flag_reads_shared = 2;     // it reads the other end's shared memory
inline constexpr uint16_t flag_prefers_messages = 8; // its storage should not be written into
inline constexpr uint16_t flag_has_notice = 32;      // it knows where the other end's storage is, and uses it
inline constexpr uint16_t ability_flags = flag_reads_shared | flag_prefers_messages | flag_has_notice;

// A failure that every later run will meet too.
inline constexpr uint16_t flag_lasts = 64;

struct MessageHeader {
    uint32_t magic;
    uint8_t version;
    MessageKind kind;
    uint16_t flags;         // those above
    uint32_t serial;        // of the exchange or group
    uint32_t epoch;         // of the run, from 1
    uint64_t digest;        // of the plan, as the sender compiled it for this direction
    uint64_t payload_bytes; // behind header and states
    uint32_t n_states;      // sparse edges: 2 bits each follow the header
    int32_t status;
    Narrowing narrowing;
    uint32_t consumed; // last epoch of the other direction that the sender has consumed
};
static_assert(sizeof(MessageHeader) == 64, "the header is part of the wire format");

// A failure, and any message that comes while data are awaited, is not longer, unless it has data or edges.
inline constexpr size_t most_plain_bytes = 1024 - sizeof(MessageHeader);

// Behind the header of a failure, whose status is that of the first cause: where it happened, then its text.
struct FailurePayload {
    int32_t rank;
};
inline constexpr size_t most_failure_text = most_plain_bytes - sizeof(FailurePayload);

// Two bits of a sparse edge.
enum class EdgeState : uint8_t { null = 0, data = 1 };

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

// What is wrong with a message of `bytes` that begins with this header, or nullptr: magic, version, kind, flags, status and sizes must agree exactly.
// `summed`: data are followed by a checksum. Nothing is known here of whom the message is for, so late messages of earlier objects pass too.
const char *wire_error(const MessageHeader &header, size_t bytes, bool summed);

} // namespace halo
