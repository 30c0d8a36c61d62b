// SPDX-License-Identifier: BSD-3-Clause
// This rank's stream of messages with one peer: order, credit and failure. One message per direction and run, or one and its parts.
//
// Life of a run: post -> (writable -> send_buffer -> send) -> test until here -> states, payload -> consume.
// Order and flow: epochs count runs from 1. At most two are unconsumed per direction: where data go both ways this follows from the
// runs themselves; where they go one way, the receiver returns a credit when it has consumed. The first message is preceded by a
// handshake (stream/handshake.h). In check mode a checksum of all of it stands behind each message with data. Messages of abandoned or failed earlier
// runs are recognised by serial and epoch, dropped and counted. Where parts are wanted a run's payload follows its message in messages of its own
// (stream/parts.h), and has arrived when all are here.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/context.h"
#include "stream/handshake.h"
#include "stream/parts.h"
#include "stream/shared_slots.h"
#include "stream/storage_leases.h"
#include "stream/wire.h"

namespace halo {

struct StreamDirection {
    bool active = false;      // does any edge go this way?
    size_t payload_bytes = 0; // the most a run can carry
    uint32_t n_states = 0;    // sparse edges
    int64_t n_edges = 0;
    Digest digest;
};

// How many messages' payloads went which way.
struct PathCounts {
    int64_t message = 0;
    int64_t slot = 0;
    int64_t put = 0;
    int64_t get = 0;

    int64_t &of(uint16_t flags, bool in_slot) { return (flags & flag_put) != 0 ? put : (flags & flag_get) != 0 ? get : in_slot ? slot : message; }
};

struct StreamSpec {
    int32_t peer = -1;
    uint32_t serial = 0;
    int32_t tag = 0; // of lane 0
    StreamDirection send;
    StreamDirection receive;
    bool shared = false;                                      // messages with data may lie in shared memory
    bool uses_storage = false;                                // this end writes or reads the peer's storage, of which that tells in a notice
    bool probed = false;                                      // take a receive buffer only when a message has been seen
    std::function<std::vector<WireEdge>(bool sending)> edges; // of one direction, sorted; for naming a mismatch
    std::function<Terms()> terms = [] { return Terms(); };    // what both ends must have alike, in words
    // What the present run takes, in words: of this rank, and of the peer.
    std::function<std::string(const Narrowing &own, const Narrowing &peers, bool of_peer)> runs = [](const auto &...) { return std::string("all"); };
    NameOfKey name = describe;                               // of an edge
    std::function<size_t(const std::byte *message)> payload; // that a message must carry in this run, by its states; none: any that fits
    // Adds the bytes of each part that must follow a message. None: there are no parts.
    std::function<void(const std::byte *message, std::vector<size_t> &bytes)> parts;
    std::function<std::string(const std::byte *message, size_t part)> name_of_part; // of its channel
    // Of values that the peer sends apart in this run: how many bytes, and the memory that they should come to; nullptr: the host's. None: they
    // cannot be.
    std::function<std::pair<size_t, Pool *>()> apart;
    std::string what; // e.g. "exchange 3": for error texts
};

class Stream {
public:
    Stream(Context &context, StreamSpec spec);
    ~Stream();
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;

    int32_t peer() const { return spec_.peer; }
    bool sends() const { return spec_.send.active; }
    bool receives() const { return spec_.receive.active; }

    // What messages lie in, ahead of the first one.
    void allocate();
    // The messages of runs from here on lie in memory of this pool, which a device reaches; nullptr: it does not matter where, and slots will do.
    void lie_in(Pool *memory) { memory_ = memory; }
    bool lies_there() const { return memory_ != nullptr; }
    // Runs from here on carry less than they might.
    void send_at_most(size_t payload_bytes) { most_sent_ = payload_bytes; }
    // From the first run on its messages go and come in one operation with those of all peers (exchange/neighbourhood): each in memory of just so
    // many bytes, of which it may use less. Plans have been compared, so there is no handshake. Credits stay messages of their own.
    void go_together() { together_ = handshake_sent_ = verified_ = true; }
    size_t bytes_together(bool sending) const;
    Digest digest(bool sending) const { return sending ? spec_.send.digest : spec_.receive.digest; }
    // Where this run's message is packed; nullptr: nowhere yet, and so it is not writable.
    void pack_into(std::byte *message) { together_message_ = message; }
    // The peer's message of this run, if that waits for one.
    void bring(std::byte *message);
    // In place of this run's, if it has not left: what tells the peer that there is none.
    void write_failure(uint32_t epoch, const Error &error);
    // Begin a run: post its receive (posted policy).
    void post(uint32_t epoch, const Narrowing &narrowing);
    // May this run's message be packed now? Polls; never blocks.
    bool writable();
    // What `writable` has said last.
    bool blocked() const { return blocked_; }
    // Start of the message: header, states, then the payload. Valid after writable().
    std::byte *send_buffer() const {
        return together_ ? together_message_ : sending_shared_ ? slot_writer_.slot(epoch_) : slots_[slot_]->buffer.data();
    }
    std::byte *send_payload() const { return send_buffer() + payload_offset(spec_.send.n_states); }
    // What that lies in, for a device that writes it. After a run that fails it is not used again.
    const Buffer &send_memory() const { return slots_[slot_]->buffer; }
    // Memory of this run's next part. Valid after writable().
    std::byte *add_part(size_t bytes) { return leaving_[slot_].add(context_, bytes); }
    void take_back_part() { leaving_[slot_].take_back_last(); }
    // Likewise, of the dense values, in a device's memory: they go apart. What packs them writes the header too.
    const Part &pack_apart(Pool &memory, size_t bytes) { return leaving_[slot_].add_on_device(context_, memory, bytes); }
    PartHeader header_apart() const { return { part_magic, spec_.serial, epoch_, 0 }; }
    bool sends_apart() const { return !sending_shared_ && leaving_[slot_].are_on_device(); }
    // What is in send_payload(), then the parts.
    void send(size_t payload_bytes);
    // The dense values, so many bytes, have been written into the peer's storage, which its gate allows; the payload is what else there is.
    void send_put(size_t bytes_put, size_t payload_bytes);
    // All values, so many bytes, stay in this rank's storage, where the peer reads them: until it has, or `take_back`.
    void send_lent(size_t bytes_lent);
    bool has_been_read() const { return leases_.own_is_done(epoch_); }
    // False: the peer is reading at this moment.
    bool take_back();
    // What has been taken back, packed into send_payload(): before that the peer has no part of this run.
    void send_after_all(size_t payload_bytes);
    // Waits for what has been sent besides a run's messages, where that leaves by calls of this rank alone; no longer than this.
    void see_off(double longest_seconds);
    // Tell the peer, if it has not got this rank's part of run `epoch`, that it will not. A failure that lasts is told to all: to those that have,
    // as that of the next run.
    void send_failure(uint32_t epoch, const Error &error);

    // Memory in which this rank tells the peer of storage that it may use. Before the first run's send.
    void offer_notice(const SharedBlock &block) { leases_.offer(block); }
    // Is there such memory, and does the peer keep to it? Which storage it tells of, whenever that changes.
    bool lends() const { return leases_.has_own(); }
    void lend(const std::vector<Storage> &storage) { leases_.set_own(storage); }
    // The peer may write there in this run, and uses this as well.
    void open_storage(const std::shared_ptr<const void> &beside) { leases_.open_own(epoch_, beside); }
    // That of the peer, as soon as it is known; its content has been written before.
    const SharedBlock &peer_notice() const { return leases_.peers(); }
    // Does the peer know this rank's, and use it? Only then may this rank lend its storage.
    bool peer_has_notice() const { return peer_has_notice_; }

    // Which way is faster, as each end has found.
    void prefer_messages(bool prefers) { prefers_messages_ = prefers; }
    bool peer_prefers_messages() const { return (header_.flags & flag_prefers_messages) != 0; }

    // True when this run's message (if one is due) is here and its header agrees. Throws on mismatch and on the peer's failure.
    bool test();
    bool arrived() const { return arrived_; }
    // The same in a call for something else, until it has failed in this run; `first` keeps the first failure of several streams.
    void take(std::optional<Error> &first) noexcept;
    // Does some message of this rank go on only while it makes calls? Not one that the peer has ended the run without. Polls.
    bool is_leaving();
    // What `is_leaving` has said last.
    bool leaves_late() const { return leaves_late_; }
    // While others are waited for: has the peer, whose part is here, told of a failure that lasts? Then theirs may never come. Throws.
    void look_ahead();
    // The plans differ; in which edge is being found out.
    bool differs() const { return mismatched_; }
    // Its dense values are where they belong.
    bool landed() const { return (header_.flags & flag_put) != 0; }
    // They lie in the peer's storage. Before it is read there, `borrow`; false: the peer has taken them back, and sends them after all.
    bool lent() const { return (header_.flags & flag_get) != 0; }
    bool borrow();
    // False: the peer has ended its run before, and may have changed them.
    bool return_borrowed() { return leases_.return_peers(epoch_); }
    // They cannot be read after all: a message is to come. False: as above, and none will.
    bool decline();
    const std::byte *received() const { return message_; }
    // Is it in such memory?
    bool has_come_to(const Pool &memory) const { return receive_buffer_.is_of(memory) && message_ == receive_buffer_.data(); }
    // What it lies in, for a device that reads it: nothing else comes there.
    Buffer take_received() { return std::exchange(receive_buffer_, {}); }
    std::byte *received_payload() const { return message_ + payload_offset(spec_.receive.n_states); }
    std::byte *received_part(size_t i) const { return arriving_.payload(i); }
    // Are the dense values its only part? Do they lie in a device's memory, as this end wanted it?
    bool came_apart() const { return (header_.flags & flag_apart) != 0; }
    bool came_to_device() const { return came_apart() && arriving_.is_on_device(0); }
    Buffer take_apart() { return arriving_.take_memory(0); }
    // While the run's message is here, and not all of its parts.
    bool awaits_parts() const { return !arriving_.all_here(); }
    size_t parts_here() const { return arriving_.n_here(); }
    const MessageHeader &header() const { return header_; }

    // The run's data have been used: the peer may send two more.
    void consume();
    // End a run that failed: what still comes for it is dropped.
    void end_failed_run();
    // Give up what is in flight. The link can only be destroyed afterwards.
    void abandon() noexcept;

    // This run's data?
    bool has_sent() const { return last_sent_ == epoch_; }
    // Without the caller (Progressing). True: something is under way.
    bool progress_alone();
    // All data so far, on their way through the transport: its memory is free.
    bool all_left() { return has_left(0) && has_left(1); }

    // Last epoch whose data came; for error texts.
    uint32_t last_epoch() const { return header_.epoch; }

    int64_t messages_sent = 0;
    int64_t messages_received = 0;
    int64_t bytes_sent = 0;
    int64_t payload_sent = 0;
    PathCounts sent_by; // of messages with data
    PathCounts received_by;

private:
    enum class Receive : uint8_t { none, posted, matched };

    MessageHeader make_header(MessageKind kind, size_t payload_bytes) const;
    MessageHeader make_failure(uint32_t epoch, const Error &error, std::span<std::byte> payload) const;
    void send_data(size_t payload_bytes, uint16_t flags, size_t bytes_elsewhere = 0);
    void send_from_slot(const MessageHeader &header, size_t payload_bytes, LeavingParts &parts);
    static constexpr size_t least_capacity = sizeof(MessageHeader) + most_plain_bytes; // of every receive buffer
    static size_t most_bytes(const StreamDirection &direction) { return payload_offset(direction.n_states) + direction.payload_bytes; }
    void send_handshake();
    PendingMessage &add_extra();
    void send_extra(const MessageHeader &header, const void *payload);
    void send_extra(MessageKind kind, const void *payload = nullptr, size_t bytes = 0) { send_extra(make_header(kind, bytes), payload); }
    void see_off() { see_off(0.1); }
    bool has_left(int slot);
    bool extras_have_left();
    bool credit_left() const;

    void ensure_send_buffer();
    bool is_fit(const Buffer &buffer, size_t bytes) const { return buffer.bytes() >= bytes && (!memory_ || buffer.is_of(*memory_)); }
    Buffer new_buffer(size_t bytes) { return memory_ ? memory_->get(bytes) : context_.host_buffer(bytes); }
    size_t receive_capacity() const;
    void ensure_receive_buffer(size_t bytes);
    void post_receive();
    void give_up_receive() noexcept;
    std::optional<MessageHeader> cancel_receive();
    void note_cancelled(const MessageHeader &header);
    void expect_what_is_owed();
    void give_last_credit();
    // Of a run that ends here before its time: can the peer not end its own, as what it has sent is not taken?
    bool keeps_peer_waiting() const;
    bool is_of_this_run(const PendingMessage &send) const;
    // The last run for which it may have written into a slot.
    uint32_t last_of_peer() const { return epoch_ + 2; }
    // As far as the peer has told.
    bool knows_end_of(uint32_t epoch) const { return !is_before(consumed_by_peer_, epoch); }
    bool receive_one(size_t &bytes);
    bool begin_receive(bool alone);
    bool has_come(size_t &bytes);
    bool come_alone();
    bool take_ahead(size_t &bytes);
    bool has_come_ahead();
    bool find_message();
    bool find_in_slot();
    bool find_part();
    void check_part(const Part &part) const;
    void take_late_part(size_t bytes);
    void expect_parts(const MessageHeader &header);
    void expect_apart();
    void take(size_t bytes);
    void take_handshake(const MessageHeader &header);
    void take_data(const MessageHeader &header);
    void take_failure(const MessageHeader &header, size_t bytes);
    [[noreturn]] void fail_as_told(const std::byte *message, size_t bytes);
    void take_terms(const MessageHeader &header);
    void take_keys(const MessageHeader &header);
    void compare_terms(std::string own, std::string peers);
    [[noreturn]] void fail_narrowed(const Narrowing &peer) const;
    size_t checksum_bytes(MessageKind kind) const { return kind == MessageKind::data && context_.check_mode() ? sizeof(uint64_t) : 0; }
    bool overtakes_slot(const MessageHeader &header) const;
    void note_abilities(const MessageHeader &header);
    void check_header(const MessageHeader &header, size_t bytes, bool summed) const;
    std::string name_carried() const;
    void check_sum(const std::byte *message, size_t bytes, size_t payload_bytes, const std::string &whose) const;
    void check_plan(const MessageHeader &header) const;
    void check_location(const MessageHeader &header) const;
    void check_swap_deadline();
    [[noreturn]] void fail_for_ever(const std::string &difference);
    [[noreturn]] void fail_again() const;
    WireEdges own_edges() const;
    bool due() const { return spec_.receive.active || !verified_; }
    // A handshake may be of any size, and so is what follows one that differs, and a late part.
    bool probing() const { return together_ || spec_.probed || spec_.parts || !spec_.receive.active || !verified_ || slot_reader_; }

    Context &context_;
    StreamSpec spec_;
    int32_t tag_;
    bool sends_by_calls_; // messages to the peer leave so
    uint32_t epoch_ = 0;
    Narrowing narrowing_;
    std::unique_ptr<PendingMessage> slots_[2]; // the second is used while the first is still on its way
    LeavingParts leaving_[2];                  // with the same slot's message
    ArrivingParts arriving_;
    int slot_ = 0;
    Pool *memory_ = nullptr;                              // of messages, where a device reaches them
    std::vector<std::unique_ptr<PendingMessage>> extras_; // failures and credits, then handshake, terms, keys too
    bool blocked_ = false;                                // this run's message may not be packed yet
    bool leaves_late_ = false;
    bool take_failed_ = false;
    bool handshake_sent_ = false;
    bool verified_ = false;   // the peer's handshake came and agrees
    bool mismatched_ = false; // it came and differs: edges are being swapped
    double mismatch_time_ = 0;
    std::string difference_;      // what mismatched, once it is known: no run can work
    std::optional<Error> told_;   // a failure that lasts: no run can work
    size_t most_sent_ = SIZE_MAX; // payload that has room
    uint32_t last_sent_ = 0;      // run whose data have left
    uint32_t last_told_ = 0;      // of which the peer has been told that it fails
    bool lends_ = false;          // the present run's values
    std::optional<Error> untold_; // how the run has failed since
    SharedSlotWriter slot_writer_;
    SharedSlotReader slot_reader_;
    StorageLeases leases_;
    bool prefers_messages_ = false;
    bool peer_reads_shared_ = false; // it has said so
    bool peer_has_notice_ = false;   // it has said so
    bool sending_shared_ = false;    // this run's message
    uint32_t epoch_in_slot_ = 0;     // of the last message that was taken out of one
    uint32_t looks_ = 0;             // into slots
    uint32_t consumed_by_peer_ = 0;
    uint32_t consumed_ = 0;
    Buffer receive_buffer_;
    std::byte *message_ = nullptr; // the last one that was taken, there or in a slot
    Request receive_request_{};
    Receive receive_ = Receive::none;
    std::optional<size_t> held_; // bytes of a message in receive_buffer_ that has not been looked at, or is of the next run
    Buffer ahead_buffer_;        // for one that comes while receive_buffer_ is in use
    size_t ahead_bytes_ = 0;     // of it, once it is there
    bool in_ahead_ = false;      // the request's message comes there
    bool arrived_ = true;
    bool has_failed_ = false;  // in some run: the peer's part of it may never have been looked at
    bool lacks_parts_ = false; // the last run that failed: those that had not been found
    MessageHeader header_{};   // of the last accepted data message
    bool together_ = false;
    std::byte *together_message_ = nullptr; // of this run, to be sent
    std::byte *brought_ = nullptr;          // of this run, held
};

} // namespace halo
