// SPDX-License-Identifier: BSD-3-Clause
#include "stream/stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "comm/wait.h"

namespace halo {

namespace {

template <class Payload>
std::vector<std::byte> followed_by(const Payload &payload, const std::string &text) {
    std::vector<std::byte> bytes(sizeof payload + text.size());
    std::memcpy(bytes.data(), &payload, sizeof payload);
    std::memcpy(bytes.data() + sizeof payload, text.data(), text.size());
    return bytes;
}

// Is it the last of what run `run` of an object, or one after it, brings: data or a credit?
bool ends_run(std::span<const std::byte> message, uint32_t serial, uint32_t run, MessageKind kind) {
    MessageHeader header{};
    PartHeader part{};
    std::memcpy(&header, message.data(), std::min(message.size(), sizeof header));
    std::memcpy(&part, message.data(), std::min(message.size(), sizeof part));
    if (part.magic == part_magic) return part.serial == serial && part.n_after == 0 && !is_before(part.epoch, run);
    const bool ends = (header.kind == kind && (header.flags & (flag_parts | flag_apart)) == 0) || header.kind == MessageKind::failure;
    return header.serial == serial && ends && !is_before(header.epoch, run);
}

} // namespace

Stream::Stream(Context &context, StreamSpec spec)
    : context_(context),
      spec_(std::move(spec)),
      tag_(spec_.tag),
      sends_by_calls_(context.fabric().sends_by_calls(spec_.peer)),
      leases_(context, spec_.serial, spec_.peer, spec_.what) {
    for (auto &slot : slots_) {
        slot = std::make_unique<PendingMessage>();
        slot->peer = spec_.peer;
    }
    add_extra().buffer = context_.host_buffer(least_capacity);
}

Stream::~Stream() {
    give_up_receive();
    const auto attempt = [](auto &&step) {
        try {
            step();
        } catch (...) { // the transport has failed, and nobody waits for it any more; or memory has, and what else there is may be done
        }
    };
    if (has_failed_) attempt([&] { context_.take_leftovers(spec_.peer, 0, tag_); });
    attempt([&] { expect_what_is_owed(); });
    attempt([&] { give_last_credit(); });
    if (slot_reader_) slot_reader_.read(last_of_peer());
    arriving_.give_up(context_);
    for (LeavingParts &leaving : leaving_) leaving.linger(context_);
    for (auto &slot : slots_)
        if (slot->in_flight) context_.linger(std::move(slot));
    for (auto &extra : extras_)
        if (extra->in_flight) context_.linger(std::move(extra));
}

// Who only sends reads credits as it needs them, and may go before the last one is there. What a peer had for a run that failed may come later too.
void Stream::expect_what_is_owed() {
    const bool data = spec_.receive.active;
    if (together_ && data) return;                                   // that of all peers is the neighbourhood's
    const uint32_t last = data || has_failed_ ? epoch_ : last_sent_; // a run that has been begun, and no more, is owed nothing
    const bool here = data ? !has_failed_ || (header_.epoch == epoch_ && !lacks_parts_) : knows_end_of(last);
    if (here || !handshake_sent_ || mismatched_ || told_) return;
    const MessageKind kind = data ? MessageKind::data : MessageKind::credit;
    const auto is_last = [kind, serial = spec_.serial, last](std::span<const std::byte> message) { return ends_run(message, serial, last, kind); };
    context_.expect({ spec_.peer, tag_, !has_failed_, is_last });
}

// Who abandons a run uses nothing of it any more.
void Stream::give_last_credit() {
    if (!spec_.receive.active || spec_.send.active || consumed_ == epoch_ || !handshake_sent_ || mismatched_) return;
    send_extra(MessageKind::credit);
    see_off();
    for (auto &extra : extras_) extra->abandoned = extra->abandoned || is_of_this_run(*extra);
}

void Stream::post(uint32_t epoch, const Narrowing &narrowing) {
    epoch_ = epoch;
    narrowing_ = narrowing;
    if (!difference_.empty()) fail_again();
    if (told_) throw Error(*told_);
    arrived_ = !due();
    leaves_late_ = take_failed_ = lends_ = false;
    untold_.reset();
    if (!arrived_ && !probing()) post_receive();
}

bool Stream::has_left(int slot) { return is_complete(*slots_[slot], context_.fabric()) && leaving_[slot].have_left(context_); }

bool Stream::extras_have_left() {
    return std::all_of(extras_.begin(), extras_.end(), [&](auto &extra) { return is_complete(*extra, context_.fabric()); });
}

bool Stream::is_leaving() {
    if (!sends_by_calls_) return false;
    leaves_late_ = !(all_left() && extras_have_left());
    while (leaves_late_ && !spec_.receive.active && !knows_end_of(epoch_) && find_message()) {}
    leaves_late_ = leaves_late_ && !knows_end_of(epoch_);
    return leaves_late_;
}

bool Stream::credit_left() const { return spec_.receive.active || epoch_ - consumed_by_peer_ <= 2; }

bool Stream::writable() {
    blocked_ = true;
    while (!credit_left() && find_message()) {}
    if (!credit_left() || (together_ && !together_message_)) return false;
    sending_shared_ = peer_reads_shared_ && !memory_ && slot_writer_.may_write(epoch_, consumed_by_peer_);
    if (!sending_shared_ && !together_) {
        slot_ = has_left(0) ? 0 : 1;
        if (slot_ == 1 && !has_left(1)) {
            test(); // the peer may wait for this rank to take what it has sent in runs that have failed here
            return false;
        }
        ensure_send_buffer();
    }
    blocked_ = false;
    return true;
}

void Stream::ensure_send_buffer() {
    Buffer &buffer = slots_[slot_]->buffer;
    const size_t payload = std::min(spec_.send.payload_bytes, most_sent_);
    const size_t wanted = payload_offset(spec_.send.n_states) + payload + checksum_bytes(MessageKind::data);
    if (!is_fit(buffer, wanted)) buffer = new_buffer(wanted);
}

void Stream::allocate() {
    if (together_) return;
    if (spec_.send.active) ensure_send_buffer();
    if (receive_ == Receive::none && !held_) ensure_receive_buffer(receive_capacity());
    if (spec_.receive.active && !ahead_buffer_) ahead_buffer_ = context_.host_buffer(least_capacity);
}

MessageHeader Stream::make_header(MessageKind kind, size_t payload_bytes) const {
    MessageHeader header{};
    header.magic = message_magic;
    header.version = wire_version;
    header.kind = kind;
    header.serial = spec_.serial;
    header.epoch = epoch_;
    header.flags = static_cast<uint16_t>((slot_reader_ ? flag_reads_shared : 0) | (prefers_messages_ ? flag_prefers_messages : 0) |
                                         (leases_.peers() ? flag_has_notice : 0));
    header.digest = spec_.send.digest.low;
    header.payload_bytes = payload_bytes;
    header.narrowing = narrowing_;
    header.consumed = consumed_;
    return header;
}

void Stream::send(size_t payload_bytes) {
    send_handshake();
    if (spec_.send.active) send_data(payload_bytes, 0);
}

void Stream::send_put(size_t bytes_put, size_t payload_bytes) {
    leases_.return_peers(epoch_);
    send_data(payload_bytes, flag_put, bytes_put);
}

void Stream::send_lent(size_t bytes_lent) {
    send_handshake();
    leases_.open_own(epoch_);
    send_data(0, flag_get, bytes_lent);
    lends_ = true;
}

bool Stream::take_back() {
    if (!leases_.close_own()) return false;
    lends_ = false;
    last_sent_ = epoch_ - 1;
    return true;
}

void Stream::send_after_all(size_t payload_bytes) {
    send_extra(MessageKind::data, send_payload(), payload_bytes);
    last_sent_ = epoch_;
    --sent_by.get;
    ++sent_by.message;
}

void Stream::send_data(size_t payload_bytes, uint16_t flags, size_t bytes_elsewhere) {
    MessageHeader header = make_header(MessageKind::data, payload_bytes);
    header.n_states = spec_.send.n_states;
    LeavingParts none;
    LeavingParts &parts = sending_shared_ ? none : leaving_[slot_]; // those there are of a run before
    header.flags |= flags | (parts.are_on_device() ? flag_apart : parts.n() > 0 ? flag_parts : 0);
    const size_t n_parts = parts.n(), all_bytes = payload_bytes + parts.payload_bytes() + bytes_elsewhere;
    const int64_t sent_before = messages_sent;
    if (sending_shared_)
        slot_writer_.write(header);
    else if ((flags & flag_get) != 0 && context_.check_mode())
        send_extra(header, nullptr); // its sum would lie where values are packed, if they are sent after all
    else
        send_from_slot(header, payload_bytes, parts);
    last_sent_ = epoch_;
    messages_sent = sent_before + 1 + static_cast<int64_t>(n_parts);
    ++sent_by.of(flags, sending_shared_);
    payload_sent += static_cast<int64_t>(all_bytes);
}

void Stream::send_from_slot(const MessageHeader &header, size_t payload_bytes, LeavingParts &parts) {
    PendingMessage &slot = *slots_[slot_];
    std::byte *const message = send_buffer();
    size_t bytes = payload_offset(spec_.send.n_states) + payload_bytes;
    std::memcpy(message, &header, sizeof header);
    if (context_.check_mode()) [[unlikely]] {
        const uint64_t sum = checksum(message, bytes);
        std::memcpy(message + bytes, &sum, sizeof sum);
        bytes += sizeof sum;
    }
    if (!together_) {
        context_.fabric().send(spec_.peer, 0, tag_, message, bytes, slot.request);
        slot.in_flight = true;
    }
    bytes_sent += static_cast<int64_t>(bytes) + parts.send(context_, spec_.peer, tag_, spec_.serial, epoch_);
}

void Stream::send_handshake() {
    if (handshake_sent_) return;
    const SharedOffer slots =
        spec_.shared && spec_.send.active ? slot_writer_.make(context_.shared_arena(SIZE_MAX), most_bytes(spec_.send)) : SharedOffer{};
    const HandshakePayload payload{ spec_.send.digest, spec_.receive.digest, slots, leases_.offered(), context_.process() };
    const std::vector<std::byte> message = followed_by(payload, spec_.terms().packed(most_terms_bytes));
    send_extra(MessageKind::handshake, message.data(), message.size());
    handshake_sent_ = true;
}

// What another rank has told of is told on as it came. Once there has been a handshake this takes no memory, which may be what has failed.
void Stream::send_failure(uint32_t epoch, const Error &error) {
    if (together_) return;                           // it goes with those of all peers
    epoch_ = epoch;                                  // it may have failed before it was posted
    if (!spec_.send.active) return send_handshake(); // the peer waits for nothing else
    const FirstCause *told = error.first_cause();
    const bool lasts = told && told->lasts;
    const bool has_part = last_sent_ == epoch;
    const uint32_t failing = has_part ? epoch + 1 : epoch;
    if (has_part && lends_) untold_ = error;
    if ((has_part && !lasts) || last_told_ == failing || !difference_.empty()) return;
    send_handshake();
    std::array<std::byte, most_plain_bytes> payload;
    const MessageHeader header = make_failure(failing, error, payload);
    send_extra(header, payload.data());
    last_told_ = failing;
    see_off();
}

// As much of the text as there is room for behind the header.
MessageHeader Stream::make_failure(uint32_t epoch, const Error &error, std::span<std::byte> payload) const {
    const FirstCause *told = error.first_cause();
    const FailurePayload where{ told ? told->rank : context_.rank() };
    const std::string &text = told ? told->text : error.text();
    const size_t text_bytes = std::min(text.size(), std::min(payload.size(), most_plain_bytes) - sizeof where);
    std::memcpy(payload.data(), &where, sizeof where);
    std::memcpy(payload.data() + sizeof where, text.data(), text_bytes);
    MessageHeader header = make_header(MessageKind::failure, sizeof where + text_bytes);
    header.epoch = epoch;
    header.status = told ? told->status : error.status();
    header.flags |= told && told->lasts ? flag_lasts : 0;
    return header;
}

// Room for a failure with the first words of its text, however little a run carries.
size_t Stream::bytes_together(bool sending) const {
    constexpr size_t least = 512;
    return std::max(least, most_bytes(sending ? spec_.send : spec_.receive) + checksum_bytes(MessageKind::data));
}

void Stream::write_failure(uint32_t epoch, const Error &error) {
    epoch_ = epoch; // it may have failed before it was posted
    const size_t bytes = bytes_together(true);
    const MessageHeader header = make_failure(epoch, error, { together_message_ + sizeof header, bytes - sizeof header });
    std::memcpy(together_message_, &header, sizeof header);
    ++messages_sent;
    bytes_sent += static_cast<int64_t>(sizeof header + header.payload_bytes);
}

PendingMessage &Stream::add_extra() {
    extras_.push_back(std::make_unique<PendingMessage>());
    extras_.back()->peer = spec_.peer;
    return *extras_.back();
}

// A message outside the two slots: rare, except for credits, whose memory is reused. The first place is kept for what ends a run.
void Stream::send_extra(const MessageHeader &header, const void *payload) {
    const size_t bytes = header.payload_bytes;
    const bool ends = header.kind == MessageKind::failure || header.kind == MessageKind::credit;
    const auto place = std::find_if(extras_.begin() + (ends ? 0 : 1), extras_.end(), [&](auto &one) { return is_complete(*one, context_.fabric()); });
    PendingMessage &extra = place == extras_.end() ? add_extra() : **place;
    const size_t before_sum = sizeof header + bytes, all = before_sum + checksum_bytes(header.kind);
    if (extra.buffer.bytes() < all) extra.buffer = context_.host_buffer(all);
    std::memcpy(extra.buffer.data(), &header, sizeof header);
    if (payload) std::memcpy(extra.buffer.data() + sizeof header, payload, bytes);
    if (all > before_sum) [[unlikely]] {
        const uint64_t sum = checksum(extra.buffer.data(), before_sum);
        std::memcpy(extra.buffer.data() + before_sum, &sum, sizeof sum);
    }
    context_.fabric().send(spec_.peer, 0, tag_, extra.buffer.data(), all, extra.request);
    extra.in_flight = true;
    ++messages_sent;
    bytes_sent += static_cast<int64_t>(all);
}

// After what ends a run before its time its rank may make no call for long. It is small, and on its way soon, unless the peer does not go on.
void Stream::see_off(double longest_seconds) {
    if (!sends_by_calls_) return;
    Waiter waiter(context_, longest_seconds);
    const auto waiting = [&] { return format("%s: rank %d has not taken what this rank has sent", spec_.what.c_str(), spec_.peer); };
    try {
        while (!extras_have_left() && waiter.pause(waiting)) {}
    } catch (const Error &) { // it has been sent; the next call says what has failed
    }
}

void Stream::consume() {
    if (slot_reader_) slot_reader_.read(epoch_);
    if (spec_.receive.active && !spec_.send.active) send_extra(MessageKind::credit);
    consumed_ = epoch_;
}

bool Stream::keeps_peer_waiting() const {
    const bool is_told = spec_.send.active && (last_sent_ != epoch_ || last_told_ == epoch_ + 1); // of a failure, which ends the peer's run
    return sends_by_calls_ && spec_.receive.active && !arrived_ && !is_told && !mismatched_;
}

void Stream::end_failed_run() {
    has_failed_ = true;
    const bool tells = keeps_peer_waiting();
    if (memory_ && !slots_[slot_]->in_flight) slots_[slot_]->buffer.reset(); // a device may still write there
    leaving_[slot_].forget_unsent();
    if (receive_ == Receive::posted) // what has been found comes to its end in the next run
        if (const auto header = cancel_receive()) note_cancelled(*header);
    if (std::exchange(brought_, nullptr)) held_.reset();
    arrived_ = true;
    lacks_parts_ = arriving_.give_up(context_);
    if (leases_.end_own() && std::exchange(lends_, false) && untold_) { // the peer has declined, and waits for a message
        last_sent_ = epoch_ - 1;
        send_failure(epoch_, *std::exchange(untold_, std::nullopt));
    }
    consume();
    if (tells && spec_.send.active) send_extra(MessageKind::credit);
    see_off();
}

// The header of a message of this object that had come before, if it is a right one: the transport does not say how long it is, so nothing else can
// be told.
std::optional<MessageHeader> Stream::cancel_receive() {
    if (std::exchange(receive_, Receive::none) == Receive::none) return {};
    Buffer &buffer = std::exchange(in_ahead_, false) ? ahead_buffer_ : receive_buffer_;
    try {
        if (!context_.fabric().cancel(receive_request_, spec_.peer)) return {};
    } catch (const Error &error) {
        if (error.status() == HALO_ERR_TRANSPORT) context_.lose(std::move(buffer));
        throw;
    }
    MessageHeader header;
    std::memcpy(&header, buffer.data(), sizeof header);
    const size_t bytes = payload_offset(header.n_states) + header.payload_bytes + checksum_bytes(header.kind);
    const bool fits = header.payload_bytes < buffer.bytes() && bytes <= buffer.bytes();
    if (!fits || header.serial != spec_.serial || wire_error(header, bytes, context_.check_mode())) return {};
    return header;
}

// All of it matters but the values.
void Stream::note_cancelled(const MessageHeader &header) {
    message_ = receive_buffer_.data();
    if (header.kind == MessageKind::handshake) take_handshake(header);
    if (header.kind == MessageKind::data) ++context_.dropped;
    if (header.kind == MessageKind::failure || header.kind == MessageKind::credit) consumed_by_peer_ = header.epoch;
}

void Stream::give_up_receive() noexcept {
    try {
        if (const auto header = cancel_receive(); header && header->kind == MessageKind::credit) consumed_by_peer_ = header->epoch;
    } catch (...) { // it had ended, in an error, or does not end, and then its memory has been given up
    }
}

void Stream::abandon() noexcept {
    give_up_receive();
    has_failed_ = true;
    if (keeps_peer_waiting()) try {
            send_extra(MessageKind::credit);
            consumed_ = epoch_;
            see_off();
        } catch (...) { // it finds out by its time limit
        }
    arrived_ = true;
    lacks_parts_ = arriving_.give_up(context_);
    leases_.end_own();
    const bool differs = mismatched_ || !difference_.empty(); // the peer needs this rank's words and edges to name the difference
    for (auto &slot : slots_) slot->abandoned = is_of_this_run(*slot);
    for (LeavingParts &leaving : leaving_) leaving.abandon(epoch_);
    for (auto &extra : extras_) extra->abandoned = !differs && is_of_this_run(*extra);
}

// Peers still take what runs before have sent.
bool Stream::is_of_this_run(const PendingMessage &send) const {
    MessageHeader header{};
    if (send.in_flight) std::memcpy(&header, send.buffer.data(), sizeof header);
    return header.epoch == epoch_;
}

} // namespace halo
