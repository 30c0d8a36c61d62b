// SPDX-License-Identifier: BSD-3-Clause
// The message layer of aggregated runs: this rank's stream of messages with one peer, one message per direction and run.
//
// Life of a run: post -> (writable -> send_buffer -> send) -> test until here -> states, payload -> consume.
// Order and flow: epochs count runs from 1. At most two are unconsumed per direction: where data go both ways this follows from the
// runs themselves; where they go one way, the receiver returns a credit when it has consumed. The first message is preceded by a
// handshake with the digests of both directions; if they differ both ends swap their edges and the error names the first
// that differs. Messages of abandoned or failed earlier runs are recognised by serial and epoch, dropped and counted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "comm/context.h"
#include "comm/message.h"

namespace halo {

struct LinkDirection {
    bool active = false;       // does any edge go this way?
    size_t payload_bytes = 0;  // the most a run can carry
    uint32_t n_states = 0;     // sparse edges
    int64_t n_edges = 0;
    Digest digest;
};

struct LinkSpec {
    int32_t peer = -1;
    uint32_t serial = 0;
    LinkDirection send;
    LinkDirection receive;
    bool probed = false;                                          // take a receive buffer only when a message has been seen
    std::function<std::vector<WireEdge>(bool sending)> edges;     // of one direction, sorted; for naming a mismatch
    std::string what;                                             // e.g. "exchange 3": for error texts
};

class PeerLink {
public:
    PeerLink(Context &context, LinkSpec spec);
    ~PeerLink();
    PeerLink(const PeerLink &) = delete;
    PeerLink &operator=(const PeerLink &) = delete;

    int32_t peer() const { return spec_.peer; }
    bool sends() const { return spec_.send.active; }
    bool receives() const { return spec_.receive.active; }

    // Begin a run: post its receive (posted policy).
    void post(uint32_t epoch, const Narrowing &narrowing);
    // May this run's message be packed now? Polls; never blocks.
    bool writable();
    // Start of the message: header, states, then payload at payload_offset(send.n_states). Valid after writable().
    std::byte *send_buffer() { return slots_[slot_].buffer.data(); }
    std::byte *send_payload() { return send_buffer() + payload_offset(spec_.send.n_states); }
    void send(size_t payload_bytes);
    // Tell the peer that this rank could not start the run.
    void send_failure(halo_status status, const char *text);

    // True when this run's message (if one is due) is here and its header agrees. Throws on mismatch and on the peer's failure.
    bool test();
    bool arrived() const { return arrived_; }
    const std::byte *received() const { return receive_buffer_.data(); }
    std::byte *received_payload() { return receive_buffer_.data() + payload_offset(spec_.receive.n_states); }
    size_t received_bytes() const { return header_.payload_bytes; }

    // The run's data have been used.
    void consume();
    // Give up what is in flight. The link can only be destroyed afterwards.
    void abandon();
    bool idle();

    uint32_t last_epoch_seen() const { return header_.epoch; }
    int64_t messages_sent = 0;
    int64_t messages_received = 0;
    int64_t bytes_sent = 0;
    int64_t payload_sent = 0;

private:
    struct Slot {
        Buffer buffer;
        halo_request request{};
        bool in_flight = false;
    };
    enum class Receive : uint8_t { none, posted, matched };

    void send_handshake();
    void send_small(MessageKind kind, Slot &slot, size_t bytes);
    MessageHeader make_header(MessageKind kind, size_t payload_bytes) const;
    bool poll(Slot &slot);
    void post_receive(size_t capacity);
    bool receive_one(size_t &bytes);
    void take(const MessageHeader &header, size_t bytes);
    void take_handshake(const MessageHeader &header);
    void check_data(const MessageHeader &header, size_t bytes) const;
    [[noreturn]] void raise_failure(const MessageHeader &header, size_t bytes) const;
    [[noreturn]] void swap_keys();
    bool expects() const;
    int32_t tag(uint32_t epoch) const { return tag_ + static_cast<int32_t>(epoch & 1u); }

    Context &context_;
    LinkSpec spec_;
    int32_t tag_;
    uint32_t epoch_ = 0;
    Narrowing narrowing_;
    Slot slots_[2];
    int slot_ = 0;
    Slot handshake_;
    Slot credit_;
    bool handshake_sent_ = false;
    bool verified_ = false;    // the peer's handshake came and agrees
    uint32_t consumed_by_peer_ = 0;
    uint32_t consumed_ = 0;
    Buffer receive_buffer_;
    halo_request receive_request_{};
    Receive receive_ = Receive::none;
    uint32_t receive_epoch_ = 0;
    bool arrived_ = false;
    bool sent_ = false;
    MessageHeader header_{};   // of the last accepted data message
};

} // namespace halo
