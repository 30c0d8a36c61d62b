// SPDX-License-Identifier: BSD-3-Clause
#include "channel/mailbox.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "channel/device_mail.h"

namespace halo {

namespace {

constexpr const char *ends_by_role[] = { "sender's end", "receiver's end", "both ends on this rank" };

} // namespace

Mailbox::Mailbox(MailRoom &room, const MailboxSpec &spec)
    : room_(&room),
      key_(spec.key),
      buffer_(spec.memory),
      bytes_(spec.bytes),
      key_hash_(static_cast<uint32_t>(hash_key(spec.key))),
      access_(Access::closed),
      state_(HALO_STALE),
      sparse_(spec.sparse),
      bare_(false),
      exact_(false),
      varies_(spec.varies),
      told_(false) {
    const int32_t here = room.context().rank();
    if (spec.send_rank == spec.receive_rank)
        role_ = Role::both;
    else
        role_ = spec.send_rank == here ? Role::sender : Role::receiver;
    peer_ = role_ == Role::sender ? spec.receive_rank : spec.send_rank;
    if (buffer_.caller_owned()) buffer_.set_memory(spec.memory.memory, bytes_);
}

Mailbox::Mailbox(Mailbox &&other) noexcept
    : room_(other.room_),
      key_(other.key_),
      buffer_(std::move(other.buffer_)),
      operation_(std::exchange(other.operation_, nullptr)),
      bytes_(other.bytes_),
      message_bytes_(other.message_bytes_),
      peer_(other.peer_),
      key_hash_(other.key_hash_),
      serial_(other.serial_),
      epoch_(other.epoch_),
      tag_(other.tag_),
      lane_(other.lane_),
      role_(other.role_),
      access_(other.access_),
      state_(other.state_),
      sparse_(other.sparse_),
      bare_(other.bare_),
      exact_(other.exact_),
      varies_(other.varies_),
      told_(other.told_) {}

void Mailbox::open(const MailAddress &address) {
    serial_ = address.serial;
    lane_ = static_cast<uint16_t>(address.tag.lane);
    tag_ = address.tag.tag;
    bare_ = address.bare;
    exact_ = address.bytes >= 0 && role_ == Role::receiver;
    if (exact_) message_bytes_ = address.bytes;
    epoch_ = 0;
    access_ = Access::open;
}

void Mailbox::aggregate(uint32_t serial) {
    serial_ = serial;
    access_ = Access::aggregated;
}

void Mailbox::close() {
    room_->long_waits().forget(*this);
    told_ = false;
    serial_ = 0;
    epoch_ = 0;
    access_ = Access::closed;
}

std::string Mailbox::describe() const {
    return format("channel %s, from rank %d to rank %d", halo::describe(key_).c_str(), send_rank(), receive_rank());
}

int64_t Mailbox::data_bytes() const {
    if (state_ == HALO_RECEIVED && (role_ == Role::receiver || varies_)) return message_bytes_;
    return buffer_.held() ? std::min(bytes_, buffer_.capacity()) : bytes_;
}

std::string Mailbox::awaited() const {
    const bool next = state_ == HALO_STALE;
    const char *what = buffer_.on_device() && operation_ && mail().waits ? "waits for the device"
                       : role_ == Role::sender                           ? "has not left"
                       : !next                                           ? "has not been made stale"
                       : role_ == Role::receiver                         ? "has not come"
                                                                         : "has not been sent";
    return format("%s: %s %s, epoch %u %s", describe().c_str(), ends_by_role[static_cast<int>(role_)], state_name(state_), epoch_ + (next ? 1 : 0),
                  what);
}

void Mailbox::illegal(const char *call) const {
    static constexpr const char *hindrances[] = { ", not committed by a group", "", ", in an aggregated group", ", abandoned" };
    const char *extra = hindrances[static_cast<int>(access_)];
    if (access_ == Access::open && operation_ && state_ == HALO_STALE) extra = ", with a receive under way";
    fail(HALO_ERR_STATE, "%s is illegal in the state %s (%s%s): %s, epoch %u", call, state_name(state_), ends_by_role[static_cast<int>(role_)], extra,
         describe().c_str(), epoch_);
}

bool Mailbox::allocate() {
    if (access_ >= Access::aggregated) [[unlikely]]
        illegal("allocate");
    if (buffer_.held() && buffer_.capacity() >= bytes_) return true;
    if (!is_unused("allocate")) return false;
    take_buffer(bytes_);
    return true;
}

bool Mailbox::release() {
    if (access_ >= Access::aggregated) [[unlikely]]
        illegal("release");
    if (!buffer_.held()) return true;
    if (!is_unused("release")) return false;
    release_buffer();
    return true;
}

bool Mailbox::set_buffer(void *memory) {
    if (!buffer_.caller_owned()) fail(HALO_ERR_STATE, "set_buffer: the channel's buffers are not the caller's: %s", describe().c_str());
    if (access_ >= Access::aggregated) illegal("set_buffer");
    if (!settled()) return false;
    const bool waits_for_it = state_ == HALO_STALE && operation_ && !operation_->in_flight; // what a sparse receiver has found
    if (!waits_for_it && !is_unused("set_buffer")) return false;
    buffer_.set_memory(memory, bytes_);
    return true;
}

// What was held may be too small; nobody knows how large the caller's is.
void Mailbox::set_bytes(int64_t bytes) {
    close();
    bytes_ = bytes;
    if (buffer_.caller_owned())
        buffer_.set_memory(nullptr, bytes);
    else if (buffer_.held() && buffer_.capacity() < bytes)
        release_buffer();
}

// Nobody writes or reads the buffer, or will. False: what does ends by itself, the caller only asks again. What waits for a call of his has a text.
bool Mailbox::is_unused(const char *call) {
    if (!settled()) return false;
    if (state_ != HALO_STALE && role_ == Role::sender) return poll_send();
    if (state_ == HALO_STALE && !operation_) return true;
    fail(HALO_BUSY, "%s: the buffer is in use, state %s%s: %s, epoch %u", call, state_name(state_),
         state_ == HALO_STALE ? " with a receive under way" : "", describe().c_str(), epoch_);
}

void Mailbox::drop_operation() noexcept {
    operation_->in_flight = false;
    MailOperation *operation = std::exchange(operation_, nullptr);
    if (buffer_.on_device()) [[unlikely]]
        return put_mail(operation);
    room_->put(operation);
}

bool Mailbox::send_bytes(int64_t bytes, halo_stream stream) {
    if (!varies_) fail(HALO_ERR_STATE, "send_bytes is illegal without `varies`: %s", describe().c_str());
    if (bytes < 0 || bytes > bytes_)
        fail(HALO_ERR_ARGUMENT, "send_bytes: %lld bytes, of 0 to %lld: %s", static_cast<long long>(bytes), static_cast<long long>(bytes_),
             describe().c_str());
    if (bare_ && bytes == 0)
        fail(HALO_ERR_ARGUMENT, "send_bytes: no bytes, which are null where an end is in the caller's memory: %s", describe().c_str());
    return post(buffer_.held(), bytes, stream, "send_bytes");
}

bool Mailbox::post(bool data, int64_t bytes, halo_stream stream, const char *call) {
    if (role_ == Role::receiver || access_ != Access::open) [[unlikely]]
        illegal(call);
    if (buffer_.on_device()) [[unlikely]]
        return answer(post_on_device(data, bytes, stream, call));
    if (!may_post(call)) return answer(false);
    message_bytes_ = data ? bytes : 0;
    if (role_ == Role::sender)
        transmit(data);
    else if (data && context().check_mode()) [[unlikely]]
        note_payload();
    note_posted(data);
    return answer(true);
}

bool Mailbox::may_post(const char *call) {
    if (state_ == HALO_STALE) return true;
    if (role_ == Role::both) [[unlikely]]
        illegal(call);
    return poll_send();
}

MailHeader Mailbox::make_header(MailKind kind, size_t bytes) const {
    MailHeader header{};
    header.magic = mail_magic;
    header.version = mail_version;
    header.kind = static_cast<uint8_t>(kind);
    header.serial = serial_;
    header.epoch = epoch_ + 1;
    header.seal = seal(bytes);
    return header;
}

uint32_t Mailbox::seal(size_t payload) const {
    const uint32_t seal = mail_seal(key_hash_, payload);
    if (payload == 0 || !context().check_mode()) [[likely]]
        return seal;
    return seal ^ static_cast<uint32_t>(checksum(this->payload(), payload));
}

// Put the message of the next epoch on its way. A device's has no payload.
void Mailbox::transmit(bool data) {
    operation_ = take_operation();
    const auto payload = static_cast<size_t>(message_bytes_);
    const void *message = &operation_->header;
    size_t bytes = sizeof(MailHeader);
    if (bare_) {
        message = data ? buffer_.data() : message;
        bytes = payload;
    } else if (payload > 0) {
        *header_of(buffer_.data()) = make_header(MailKind::data, payload);
        message = header_of(buffer_.data());
        bytes += payload;
    } else {
        operation_->header = make_header(data ? MailKind::data : MailKind::null, 0);
    }
    if (data && context().check_mode() && !buffer_.on_device()) [[unlikely]]
        note_payload();
    try {
        context().fabric().send(peer_, lane_, tag(epoch_ + 1), message, bytes, operation_->request);
    } catch (...) {
        drop_operation();
        throw;
    }
    operation_->in_flight = true;
}

// True when the own send has completed; the channel is then stale.
bool Mailbox::poll_send() {
    if (!settled()) return false;
    bool done;
    try {
        done = context().fabric().test(operation_->request, peer_);
    } catch (...) {
        drop_operation();
        state_ = HALO_STALE;
        throw;
    }
    if (!done) return false;
    const bool checked = state_ == HALO_SENDING && context().check_mode() && !buffer_.on_device();
    state_ = HALO_STALE;
    if (checked) [[unlikely]]
        check_payload();
    else
        drop_operation();
    return true;
}

bool Mailbox::may_send(const char *call) {
    if (role_ == Role::receiver || access_ != Access::open) [[unlikely]]
        illegal(call);
    return answer(state_ == HALO_STALE ? settled() : may_post(call));
}

bool Mailbox::writable() {
    if (role_ == Role::receiver || access_ != Access::open) [[unlikely]]
        illegal("writable");
    return answer(state_ == HALO_STALE ? settled() : role_ == Role::sender && poll_send());
}

void Mailbox::start_receive() {
    if (role_ == Role::sender || access_ != Access::open || state_ == HALO_RECEIVED || state_ == HALO_RECEIVED_NULL) [[unlikely]]
        illegal("start_receive");
    if (role_ == Role::receiver && settled() && state_ == HALO_STALE && !under_way()) post_receive();
}

void Mailbox::look_how_long() {
    if (!told_) told_ = room_->long_waits().look(context(), *this);
}

bool Mailbox::has_come() {
    if (role_ == Role::sender || access_ != Access::open) [[unlikely]]
        illegal("try_receive");
    if (!settled()) return false;
    if (state_ == HALO_RECEIVED || state_ == HALO_RECEIVED_NULL) return true;
    if (role_ == Role::both) {
        if (state_ == HALO_STALE) return false;
        if (operation_) [[unlikely]]
            check_payload();
        state_ = state_ == HALO_SENDING ? HALO_RECEIVED : HALO_RECEIVED_NULL;
        return true;
    }
    for (;;) {
        if (!under_way()) {
            post_receive();
            if (!under_way()) return false;
        }
        size_t bytes = 0;
        try {
            if (!context().fabric().test(operation_->request, peer_, &bytes)) return false;
        } catch (...) {
            drop_operation();
            throw;
        }
        if (take_message(bytes)) return state_ != HALO_STALE;
    }
}

void Mailbox::stale(halo_stream stream) {
    if (role_ == Role::sender || access_ != Access::open || (state_ != HALO_RECEIVED && state_ != HALO_RECEIVED_NULL)) [[unlikely]]
        illegal("stale");
    if (buffer_.on_device()) [[unlikely]]
        return stale_on_device(stream);
    if (context().check_mode() && role_ == Role::receiver && state_ == HALO_RECEIVED) [[unlikely]]
        std::memset(buffer_.data(), 0xff, static_cast<size_t>(message_bytes_));
    state_ = HALO_STALE;
}

// Dense: a receive of the next epoch is under way afterwards. Sparse: if its message is there.
void Mailbox::post_receive() {
    if (sparse_) {
        if (operation_ || probe()) receive_matched();
        return;
    }
    take_buffer(bytes_);
    operation_ = take_operation();
    // Without a place for the header in front of the payload, only empty data can come in this form.
    const bool header_only = !bare_ && buffer_.headless();
    const int64_t capacity = (bare_ ? 0 : static_cast<int64_t>(sizeof(MailHeader))) + (header_only ? 0 : bytes_);
    try {
        std::byte *const payload = room_for(static_cast<size_t>(bytes_));
        void *into = bare_ ? static_cast<void *>(payload) : header_only ? &operation_->header : header_of(payload);
        context().fabric().receive(peer_, lane_, tag(epoch_ + 1), into, static_cast<size_t>(capacity), operation_->request);
    } catch (...) {
        drop_operation();
        throw;
    }
    operation_->in_flight = true;
}

bool Mailbox::probe() {
    Matched message{};
    size_t bytes = 0;
    if (!context().fabric().probe(peer_, lane_, tag(epoch_ + 1), bytes, message)) return false;
    operation_ = take_operation();
    operation_->matched = message;
    operation_->matched_bytes = bytes;
    return true;
}

// Receive what was found: into a buffer if it carries a payload. If there is no memory, the message waits for the next try.
void Mailbox::receive_matched() {
    MailOperation &operation = *operation_;
    const size_t lead = bare_ ? 0 : sizeof(MailHeader);
    const size_t room = !bare_ && buffer_.headless() ? 0 : static_cast<size_t>(bytes_);
    const bool has_payload = operation.matched_bytes > lead;
    if (operation.matched_bytes > lead + room)
        fail(HALO_ERR_WIRE, "a message of %zu bytes came, at most %zu were expected: %s, epoch %u", operation.matched_bytes, lead + room,
             describe().c_str(), epoch_ + 1);
    if (has_payload) take_buffer(static_cast<int64_t>(operation.matched_bytes - lead));
    void *into = &operation.header;
    if (has_payload) {
        std::byte *const payload = room_for(operation.matched_bytes - lead);
        into = bare_ ? static_cast<void *>(payload) : header_of(payload);
    }
    try {
        context().fabric().receive_matched(operation.matched, peer_, into, operation.matched_bytes, operation.request);
    } catch (...) {
        drop_operation();
        throw;
    }
    operation.in_flight = true;
}

// False: it was a late message of an earlier group, and was dropped.
bool Mailbox::take_message(size_t bytes) {
    if (buffer_.on_device()) [[unlikely]]
        return take_for_device(bytes);
    if (bare_) {
        drop_operation();
        check_bytes(bytes > 0, bytes);
        finish_receive(bytes > 0, static_cast<int64_t>(bytes));
        return true;
    }
    const MailHeader header = buffer_.headless() || came_alone() ? operation_->header : *header_of(buffer_.data());
    drop_operation();
    if (!is_mine(header, bytes)) return false;
    finish_receive(header.kind == static_cast<uint8_t>(MailKind::data), static_cast<int64_t>(bytes - sizeof header));
    return true;
}

// False: it is a late message of an earlier group.
bool Mailbox::is_mine(const MailHeader &header, size_t bytes) const {
    if (bytes < sizeof header || header.magic != mail_magic || header.version != mail_version)
        fail(HALO_ERR_WIRE, "a message of %zu bytes has no channel header of version %d: %s, epoch %u", bytes, mail_version, describe().c_str(),
             epoch_ + 1);
    if (header.serial != serial_) {
        ++context().dropped;
        return false;
    }
    const bool data = header.kind == static_cast<uint8_t>(MailKind::data);
    const size_t payload = bytes - sizeof header;
    if (!data && header.kind != static_cast<uint8_t>(MailKind::null))
        fail(HALO_ERR_WIRE, "a message of unknown kind %u came: %s, epoch %u", header.kind, describe().c_str(), epoch_ + 1);
    if (const uint32_t expected = seal(payload); header.seal != expected)
        fail(payload > 0 && context().check_mode() ? HALO_ERR_CHECK : HALO_ERR_WIRE,
             "a message with %zu bytes of payload belongs to another channel, was cut or was changed on its way (seal %08x, expected %08x): %s, "
             "epoch %u",
             payload, header.seal, expected, describe().c_str(), epoch_ + 1);
    if (header.epoch != epoch_ + 1)
        fail(HALO_ERR_WIRE, "the message of epoch %u came, epoch %u was expected: %s", header.epoch, epoch_ + 1, describe().c_str());
    check_bytes(data, payload);
    return true;
}

void Mailbox::check_bytes(bool data, size_t payload) const {
    if (exact_ && payload != (data ? static_cast<size_t>(message_bytes_) : 0)) [[unlikely]]
        fail(HALO_ERR_WIRE, "a message with %zu bytes of payload came, %lld are sent: %s, epoch %u", payload,
             static_cast<long long>(data ? message_bytes_ : 0), describe().c_str(), epoch_ + 1);
}

void Mailbox::finish_receive(bool data, int64_t bytes) {
    if (data && !buffer_.held()) take_buffer(bytes);
    if (!data && sparse_) release_buffer();
    if (!exact_) message_bytes_ = bytes;
    ++epoch_;
    state_ = data ? HALO_RECEIVED : HALO_RECEIVED_NULL;
}

bool Mailbox::is_busy() {
    if (role_ == Role::sender && state_ != HALO_STALE) {
        try {
            return !poll_send();
        } catch (const Error &error) { // the transport has ended: what was under way is so no more
            if (error.status() != HALO_ERR_STATE) throw;
            return false;
        }
    }
    return !settled() || operation_ || state_ != HALO_STALE;
}

bool Mailbox::drain() {
    if (!settled()) return false;
    if (idle()) return true;
    if (role_ == Role::sender) return poll_send();
    if (has_come()) stale(HALO_STREAM_DEFAULT);
    return settled() && idle();
}

void Mailbox::let_linger(bool abandoned) {
    operation_->peer = peer_;
    operation_->abandoned = abandoned;
    context().linger(take_away());
}

// The operation, with its memory.
std::unique_ptr<PendingMessage> Mailbox::take_away() {
    if (!buffer_.on_device()) operation_->buffer = buffer_.caller_owned() ? context().owner_of(buffer_.data()) : buffer_.surrender();
    return std::unique_ptr<PendingMessage>(std::exchange(operation_, nullptr));
}

void Mailbox::give_up(bool abandoned) noexcept {
    room_->long_waits().forget(*this);
    if (operation_ && buffer_.on_device()) [[unlikely]]
        give_up_on_device();
    try {
        if (role_ == Role::sender && operation_ && !poll_send()) {
            let_linger(abandoned);
        } else if (under_way()) {
            context().fabric().cancel(operation_->request, peer_);
        }
    } catch (...) {
        if (under_way() && may_still_be_used()) context().lose(take_away());
    }
    if (operation_) drop_operation();
    state_ = HALO_STALE;
    access_ = Access::abandoned;
}

void Mailbox::note_payload() {
    if (!operation_) operation_ = room_->take();
    operation_->checksum = checksum(buffer_.data(), static_cast<size_t>(message_bytes_));
}

// Nobody may write between send and its end.
void Mailbox::check_payload() {
    const bool same = operation_->checksum == checksum(buffer_.data(), static_cast<size_t>(message_bytes_));
    drop_operation();
    if (!same) fail(HALO_ERR_CHECK, "the buffer was written in the state sending: %s, epoch %u", describe().c_str(), epoch_);
}

} // namespace halo
