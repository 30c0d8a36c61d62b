// SPDX-License-Identifier: BSD-3-Clause
// The five-state machine of one channel end: stale, sending, sending_null, received, received_null.
//
// Role: the end on the sending rank, the end on the receiving rank, or both in one object when the ranks are the same. Between ranks the
// two ends have states of their own; nothing but the channel's messages travels, and they arrive in order, without credit: the sender is
// stale again when its own send has completed, the receiver when it says so.
//
// Wire: a 16-byte header with the payload right behind it in one message; "null" is the header alone. Where an end's payload lies in the
// caller's memory there is no place for a header: the message is the payload alone (`bare`), "null" is a message of no bytes, and the
// epoch's parity is in the tag. Data of no size always travel as a header.
//
// Payload in a device's memory (mailbox_on_device.cpp): messages lie in memory that the host reaches too. A send leaves once its stream has come
// there, what has come is received once it has been copied, and what is staled is so once the stream has come there; until then `operation_` is a
// DeviceMail that waits. Those messages always have a place for a header.
//
// An idle mailbox owns no request: see MailRoom. Sending, receiving and staling allocate nothing once rooms and pools are warm.
#pragma once

#include <cstdint>
#include <string>

#include "channel/key.h"
#include "channel/mail_buffer.h"
#include "channel/mail_room.h"
#include "halo_channel.h"

namespace halo {

struct DeviceMail;

struct MailboxSpec {
    halo_channel_key key{};
    int32_t send_rank = 0;
    int32_t receive_rank = 0;
    int64_t bytes = 0;   // of payload that this end holds; the receiver's may be larger
    bool sparse = false; // receiver: probe, and take a buffer only for what has come
    bool varies = false; // messages may have fewer
    MailMemory memory;
};

// Where a mailbox's messages go. Agreed by both ends.
struct MailAddress {
    uint32_t serial = 0; // of the group, not 0
    ChannelTag tag{};
    bool bare = false;  // an end is caller-owned, and the sender's payload is not empty
    int64_t bytes = -1; // of payload that each message with data has; -1: any that fit
};

class Mailbox {
public:
    Mailbox(MailRoom &room, const MailboxSpec &spec);
    Mailbox(Mailbox &&other) noexcept;
    Mailbox &operator=(Mailbox &&) = delete;
    // A send in flight goes on without its mailbox, a receive is cancelled.
    ~Mailbox() {
        give_up(false);
        release_buffer();
    }

    // Join a group: epochs begin anew. Only while nothing is under way.
    void open(const MailAddress &address);
    // Join an aggregated group: the messages are not the mailbox's, and its calls are illegal.
    void aggregate(uint32_t serial);
    void close();

    bool sends() const { return role_ != Role::receiver; }
    bool receives() const { return role_ != Role::sender; }
    int32_t peer() const { return peer_; } // this rank, where both ends are here
    int32_t send_rank() const { return role_ == Role::receiver ? peer_ : context().rank(); }
    int32_t receive_rank() const { return role_ == Role::receiver ? context().rank() : peer_; }
    const halo_channel_key &key() const { return key_; }
    uint32_t key_hash() const { return key_hash_; }
    int64_t bytes() const { return bytes_; }
    uint32_t serial() const { return serial_; } // of the group; 0: none
    bool aggregated() const { return access_ == Access::aggregated; }
    bool headless() const { return buffer_.headless(); }
    bool sparse() const { return sparse_; }
    bool varies() const { return varies_; }
    int32_t state() const { return state_; } // HALO_STALE ...
    uint32_t epoch() const { return epoch_; }

    MailMemory memory() const { return buffer_.source(); }

    // The buffer: nullptr where none is held. Its bytes: of the channel, after a receive of what came.
    std::byte *data() const { return buffer_.data(); }
    int64_t data_bytes() const;
    uint32_t generation() const { return buffer_.generation(); }
    // Do nothing where nothing is to be changed. False: the own send, or the device, is still at the buffer. Throws HALO_BUSY: it is in use until the
    // caller does something.
    [[nodiscard]] bool allocate();
    [[nodiscard]] bool release();
    // Of the caller's. Likewise.
    [[nodiscard]] bool set_buffer(void *memory);
    // Of payload. Leaves the group. Only while nothing is under way.
    void set_bytes(int64_t bytes);
    void require_not_abandoned(const char *call) const {
        if (access_ == Access::abandoned) illegal(call);
    }

    // False: the last send is still under way. Streams count for payload on a device only.
    [[nodiscard]] bool send(halo_stream stream = HALO_STREAM_NONE) { return post(buffer_.held(), bytes_, stream, "send"); }
    [[nodiscard]] bool send_bytes(int64_t bytes, halo_stream stream);
    [[nodiscard]] bool send_null(halo_stream stream = HALO_STREAM_NONE) { return post(false, 0, stream, "send_null"); }
    bool writable();
    void start_receive();
    bool try_receive() { return answer(has_come()); }
    void stale(halo_stream stream = HALO_STREAM_NONE);

    // Is anything between stale and stale? Polls the own send.
    bool busy() { return is_busy() && !answer(false); }
    // As far as it has been looked at.
    bool idle() const { return state_ == HALO_STALE && !operation_; }
    // On the way there: what has been posted is received, and dropped. True: idle.
    bool drain();
    // May this be sent now? Polls the last send.
    bool may_send(const char *call);
    // Give up what is in flight: late messages are dropped. Afterwards the mailbox can only be closed or destroyed.
    void abandon() noexcept { give_up(true); }

    // "channel 3 -> 7, field 2, element 14, from rank 0 to rank 1"
    std::string describe() const;
    // What a poll in vain waits for.
    std::string awaited() const;

private:
    enum class Role : uint8_t { sender, receiver, both };
    enum class Access : uint8_t { closed, open, aggregated, abandoned };

    Context &context() const { return room_->context(); }
    int32_t tag(uint32_t epoch) const { return tag_ + (bare_ ? static_cast<int32_t>(epoch & 1u) : 0); }
    void take_buffer(int64_t bytes) { buffer_.take(context(), key_, bytes); }
    void release_buffer() noexcept { buffer_.release(context(), key_); }
    std::byte *payload() const { return buffer_.on_device() ? payload_on_host() : buffer_.data(); }
    static MailHeader *header_of(std::byte *payload) { return reinterpret_cast<MailHeader *>(payload - sizeof(MailHeader)); }
    bool post(bool data, int64_t bytes, halo_stream stream, const char *call);
    bool may_post(const char *call);
    // What a poll is answered. Of those in vain some look how long the wait lasts.
    bool answer(bool yes) {
        if (yes)
            told_ = false;
        else if (room_->long_waits().is_due()) [[unlikely]]
            look_how_long();
        return yes;
    }
    void look_how_long();
    bool has_come();
    bool is_busy();
    void note_posted(bool data) {
        ++epoch_;
        state_ = data ? HALO_SENDING : HALO_SENDING_NULL;
    }
    void transmit(bool data);
    bool poll_send();
    MailOperation *take_operation() {
        if (buffer_.on_device()) [[unlikely]]
            return take_mail();
        return room_->take();
    }
    void drop_operation() noexcept;
    void give_up(bool abandoned) noexcept;
    void let_linger(bool abandoned);
    std::unique_ptr<PendingMessage> take_away();
    bool under_way() const { return operation_ && operation_->in_flight; }
    void post_receive();
    // Where the payload of a message comes.
    std::byte *room_for(size_t payload_bytes) const {
        if (buffer_.on_device()) [[unlikely]]
            return room_on_host(payload_bytes);
        return buffer_.data();
    }
    bool probe();
    void receive_matched();
    bool take_message(size_t bytes);
    bool came_alone() const { return sparse_ && operation_->matched_bytes <= sizeof(MailHeader); }
    bool is_mine(const MailHeader &header, size_t bytes) const;
    void check_bytes(bool data, size_t payload) const;
    MailHeader make_header(MailKind kind, size_t bytes) const;
    uint32_t seal(size_t payload) const;
    void finish_receive(bool data, int64_t bytes);
    void note_payload();
    void check_payload();
    bool is_unused(const char *call);
    [[noreturn]] void illegal(const char *call) const;

    // On a device. Nothing that it is at waits any more; what has failed there is told.
    bool settled() {
        if (buffer_.on_device()) [[unlikely]]
            return !operation_ || settle();
        return true;
    }
    bool settle();
    void require_stream(halo_stream stream, const char *call) const;
    DeviceMails &mails() const { return room_->on_device(buffer_.device()); }
    DeviceMail &mail() const;
    MailOperation *take_mail() const;
    void put_mail(MailOperation *operation) const noexcept;
    std::byte *payload_on_host() const;
    std::byte *room_on_host(size_t payload_bytes) const;
    bool post_on_device(bool data, int64_t bytes, halo_stream stream, const char *call);
    void send_from_device(bool data, halo_stream stream);
    void put_leaving(halo_stream stream);
    bool take_for_device(size_t bytes);
    void land();
    void stale_on_device(halo_stream stream);
    void give_up_on_device() noexcept;

    MailRoom *room_;
    halo_channel_key key_;
    MailBuffer buffer_;
    MailOperation *operation_ = nullptr; // in flight; sparse: or found and waiting for memory
    int64_t bytes_;
    int64_t message_bytes_ = 0; // of payload in the last message; exact: in each that has data
    int32_t peer_;
    uint32_t key_hash_;
    uint32_t serial_ = 0;
    uint32_t epoch_ = 0;
    int32_t tag_ = 0; // bare: of even epochs; odd ones have the next
    uint16_t lane_ = 0;
    Role role_ : 2;
    Access access_ : 2;
    uint8_t state_ : 3;
    bool sparse_ : 1;
    bool bare_ : 1;
    bool exact_ : 1; // receiver
    bool varies_ : 1;
    bool told_ : 1; // the present wait has been logged
};
static_assert(sizeof(Mailbox) <= 128, "a million of them must stay small");

} // namespace halo
