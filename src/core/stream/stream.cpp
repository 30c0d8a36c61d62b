// SPDX-License-Identifier: BSD-3-Clause
#include "stream/stream.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace halo {

namespace {

constexpr size_t least_capacity = sizeof(MessageHeader) + most_plain_bytes; // of every receive buffer
constexpr uint32_t looks_per_probe = 16;                                    // into a slot, which costs next to nothing, for one to the transport

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
    const bool ends = (header.kind == kind && (header.flags & flag_parts) == 0) || header.kind == MessageKind::failure;
    return header.serial == serial && ends && !is_before(header.epoch, run);
}

} // namespace

Stream::Stream(Context &context, StreamSpec spec)
    : context_(context),
      spec_(std::move(spec)),
      tag_(spec_.tag),
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
    for (auto &extra : extras_) extra->abandoned = extra->abandoned || is_of_this_run(*extra);
}

void Stream::post(uint32_t epoch, const Narrowing &narrowing) {
    epoch_ = epoch;
    narrowing_ = narrowing;
    if (!difference_.empty()) fail_again();
    if (told_) throw Error(*told_);
    arrived_ = !due();
    if (!arrived_ && !probing()) post_receive();
}

bool Stream::has_left(int slot) { return is_complete(*slots_[slot], context_.fabric()) && leaving_[slot].have_left(context_); }

bool Stream::credit_left() const { return spec_.receive.active || epoch_ - consumed_by_peer_ <= 2; }

bool Stream::writable() {
    blocked_ = true;
    while (!credit_left() && find_message()) {}
    if (!credit_left()) return false;
    sending_shared_ = peer_reads_shared_ && slot_writer_.may_write(epoch_, consumed_by_peer_);
    if (!sending_shared_) {
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
    const size_t wanted = most_bytes(spec_.send) + checksum_bytes(MessageKind::data);
    if (buffer.bytes() < wanted) buffer = context_.host_buffer(wanted);
}

void Stream::allocate() {
    if (spec_.send.active) ensure_send_buffer();
    if (receive_ == Receive::none) ensure_receive_buffer(receive_capacity());
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
}

bool Stream::take_back() {
    if (!leases_.close_own()) return false;
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
    LeavingParts &parts = leaving_[slot_];
    header.flags |= parts.n() > 0 ? flags | flag_parts : flags;
    const size_t n_parts = parts.n(), all_bytes = payload_bytes + parts.payload_bytes() + bytes_elsewhere;
    if (sending_shared_)
        slot_writer_.write(header);
    else
        send_from_slot(header, payload_bytes, parts);
    last_sent_ = epoch_;
    messages_sent += 1 + static_cast<int64_t>(n_parts);
    ++sent_by.of(flags, sending_shared_);
    payload_sent += static_cast<int64_t>(all_bytes);
}

void Stream::send_from_slot(const MessageHeader &header, size_t payload_bytes, LeavingParts &parts) {
    PendingMessage &slot = *slots_[slot_];
    size_t bytes = payload_offset(spec_.send.n_states) + payload_bytes;
    std::memcpy(slot.buffer.data(), &header, sizeof header);
    if (context_.check_mode()) [[unlikely]] {
        const uint64_t sum = checksum(slot.buffer.data(), bytes);
        std::memcpy(slot.buffer.data() + bytes, &sum, sizeof sum);
        bytes += sizeof sum;
    }
    context_.fabric().send(spec_.peer, 0, tag_, slot.buffer.data(), bytes, slot.request);
    slot.in_flight = true;
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
    if (!spec_.send.active) return send_handshake(); // the peer waits for nothing else
    const FirstCause *told = error.first_cause();
    const bool lasts = told && told->lasts;
    const bool has_part = last_sent_ == epoch;
    const uint32_t failing = has_part ? epoch + 1 : epoch;
    if ((has_part && !lasts) || last_told_ == failing || !difference_.empty()) return;
    epoch_ = epoch; // it may have failed before it was posted
    send_handshake();
    const FailurePayload where{ told ? told->rank : context_.rank() };
    const std::string &text = told ? told->text : error.text();
    const size_t text_bytes = std::min(text.size(), most_failure_text);
    std::array<std::byte, most_plain_bytes> payload;
    std::memcpy(payload.data(), &where, sizeof where);
    std::memcpy(payload.data() + sizeof where, text.data(), text_bytes);
    MessageHeader header = make_header(MessageKind::failure, sizeof where + text_bytes);
    header.epoch = failing;
    header.status = told ? told->status : error.status();
    header.flags |= lasts ? flag_lasts : 0;
    send_extra(header, payload.data());
    last_told_ = failing;
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
    if (extra.buffer.bytes() < sizeof(MessageHeader) + bytes) extra.buffer = context_.host_buffer(sizeof(MessageHeader) + bytes);
    std::memcpy(extra.buffer.data(), &header, sizeof header);
    if (bytes > 0) std::memcpy(extra.buffer.data() + sizeof header, payload, bytes);
    context_.fabric().send(spec_.peer, 0, tag_, extra.buffer.data(), sizeof header + bytes, extra.request);
    extra.in_flight = true;
    ++messages_sent;
    bytes_sent += static_cast<int64_t>(sizeof header + bytes);
}

size_t Stream::receive_capacity() const { return std::max(least_capacity, most_bytes(spec_.receive) + checksum_bytes(MessageKind::data)); }

void Stream::ensure_receive_buffer(size_t bytes) {
    if (receive_buffer_.bytes() < bytes) receive_buffer_ = context_.host_buffer(bytes);
}

void Stream::post_receive() {
    if (receive_ != Receive::none || held_bytes_ > 0 || ahead_bytes_ > 0) return;
    const size_t capacity = receive_capacity();
    ensure_receive_buffer(capacity);
    std::memset(receive_buffer_.data(), 0, sizeof(MessageHeader)); // else a shorter message, taken when the receive is cancelled, had an older one's
    const bool found = context_.fabric().receive(spec_.peer, 0, tag_, receive_buffer_.data(), capacity, receive_request_);
    receive_ = found ? Receive::matched : Receive::posted;
}

bool Stream::borrow() {
    arrived_ = leases_.claim_peers(epoch_);
    if (!arrived_) --received_by.get; // it is sent after all
    return arrived_;
}

bool Stream::decline() {
    --received_by.get;
    arrived_ = false;
    return leases_.decline_peers(epoch_);
}

bool Stream::test() {
    const bool may_lie_in_slot = !arrived_ && slot_reader_;
    if (may_lie_in_slot && (find_in_slot() || (receive_ == Receive::none && ++looks_ % looks_per_probe != 0))) return arrived_;
    while (!arrived_ && find_message()) {}
    return arrived_;
}

// What the peer sends after all, instead of what it has lent, is a message.
bool Stream::find_in_slot() {
    if (epoch_in_slot_ == epoch_ || !slot_reader_.is_written(epoch_)) return false;
    epoch_in_slot_ = epoch_;
    message_ = slot_reader_.slot(epoch_);
    MessageHeader header;
    std::memcpy(&header, message_, sizeof header);
    check_header(header, payload_offset(header.n_states) + header.payload_bytes, false);
    if (header.kind != MessageKind::data || header.serial != spec_.serial)
        fail(HALO_ERR_WIRE, "%s: run %u of rank %d: its shared memory holds a message of kind %u, object %u", spec_.what.c_str(), epoch_, spec_.peer,
             static_cast<unsigned>(header.kind), header.serial);
    note_abilities(header);
    take_data(header);
    return true;
}

// Take one message, if there is one.
bool Stream::find_message() {
    if (mismatched_ && difference_.empty()) check_swap_deadline();
    if (awaits_parts()) return find_part();
    size_t bytes = 0;
    if (!receive_one(bytes)) return false;
    take(bytes);
    return true;
}

bool Stream::receive_one(size_t &bytes) {
    if ((bytes = std::exchange(held_bytes_, 0)) > 0) return true;
    if (in_ahead_ || ahead_bytes_ > 0) return take_ahead(bytes);
    Fabric &fabric = context_.fabric();
    if (receive_ == Receive::none && probing()) {
        Matched message{};
        if (!fabric.probe(spec_.peer, 0, tag_, bytes, message)) return false;
        ensure_receive_buffer(std::max(bytes, least_capacity));
        fabric.receive_matched(message, spec_.peer, receive_buffer_.data(), receive_buffer_.bytes(), receive_request_);
        receive_ = Receive::matched;
    } else if (receive_ == Receive::none) {
        post_receive();
    }
    if (!fabric.test(receive_request_, spec_.peer, &bytes)) return false;
    receive_ = Receive::none;
    return true;
}

bool Stream::take_ahead(size_t &bytes) {
    ensure_receive_buffer(least_capacity);
    if (!has_come_ahead()) return false;
    bytes = std::exchange(ahead_bytes_, 0);
    std::memcpy(receive_buffer_.data(), ahead_buffer_.data(), bytes);
    return true;
}

bool Stream::has_come_ahead() {
    if (!in_ahead_) return ahead_bytes_ > 0;
    if (!context_.fabric().test(receive_request_, spec_.peer, &ahead_bytes_)) return false;
    receive_ = Receive::none;
    in_ahead_ = false;
    return true;
}

// Whatever it is, it is kept for the next run.
void Stream::look_ahead() {
    if (!arrived_ || !spec_.receive.active || held_bytes_ > 0 || ahead_bytes_ > 0) return;
    if (receive_ == Receive::none) {
        Fabric &fabric = context_.fabric();
        Matched message{};
        size_t bytes = 0;
        if (!fabric.probe(spec_.peer, 0, tag_, bytes, message)) return;
        if (bytes > least_capacity) return; // no failure: it stays where it is
        if (!ahead_buffer_) ahead_buffer_ = context_.host_buffer(least_capacity);
        fabric.receive_matched(message, spec_.peer, ahead_buffer_.data(), ahead_buffer_.bytes(), receive_request_);
        receive_ = Receive::matched;
        in_ahead_ = true;
    }
    if (!has_come_ahead()) return;
    MessageHeader header{};
    std::memcpy(&header, ahead_buffer_.data(), std::min(ahead_bytes_, sizeof header));
    const bool is_right = !wire_error(header, ahead_bytes_, context_.check_mode()) && header.serial == spec_.serial;
    if (is_right && header.kind == MessageKind::failure && (header.flags & flag_lasts) != 0) fail_as_told(ahead_buffer_.data(), ahead_bytes_);
}

void Stream::take(size_t bytes) {
    MessageHeader header{};
    message_ = receive_buffer_.data();
    std::memcpy(&header, message_, std::min(bytes, sizeof header));
    if (header.magic == part_magic) return take_late_part(bytes);
    check_header(header, bytes, context_.check_mode());
    if (is_before(header.serial, spec_.serial)) {
        ++context_.dropped;
        return;
    }
    note_abilities(header);
    if (overtakes_slot(header)) {
        held_bytes_ = bytes;
        find_in_slot();
        return;
    }
    if (header.kind == MessageKind::data && header.epoch == epoch_ && context_.check_mode()) [[unlikely]]
        check_sum(message_, bytes, header.payload_bytes, {});
    switch (header.kind) {
    case MessageKind::handshake: return take_handshake(header);
    case MessageKind::data: return take_data(header);
    case MessageKind::failure: return take_failure(header, bytes);
    case MessageKind::terms: return take_terms(header);
    case MessageKind::keys: return take_keys(header);
    case MessageKind::credit: consumed_by_peer_ = header.epoch;
    }
}

// A message of the next run, while that of this one lies in the slot: it was written before, and must be taken first.
bool Stream::overtakes_slot(const MessageHeader &header) const {
    const bool of_run = header.kind == MessageKind::data || header.kind == MessageKind::failure;
    return of_run && is_before(epoch_, header.epoch) && !arrived_ && epoch_in_slot_ != epoch_ && slot_reader_ && slot_reader_.is_written(epoch_);
}

void Stream::note_abilities(const MessageHeader &header) {
    peer_reads_shared_ = peer_reads_shared_ || header.flags & flag_reads_shared;
    peer_has_notice_ = peer_has_notice_ || header.flags & flag_has_notice;
}

void Stream::check_header(const MessageHeader &header, size_t bytes, bool summed) const {
    if (header.magic == reduction_magic)
        fail(HALO_ERR_MISMATCH,
             "%s: rank %d is in reduction %u of this context, this rank in object %u: the ranks create their exchanges, groups and reductions in "
             "different order",
             spec_.what.c_str(), spec_.peer, header.serial, spec_.serial);
    if (const char *error = wire_error(header, bytes, summed))
        fail(HALO_ERR_WIRE,
             "%s: message of %zu bytes from rank %d (magic %08x, wire version %u, kind %u, flags %#x, %u states, %llu bytes of payload): %s: another "
             "library, or truncated or damaged",
             spec_.what.c_str(), bytes, spec_.peer, header.magic, header.version, static_cast<unsigned>(header.kind), header.flags, header.n_states,
             static_cast<unsigned long long>(header.payload_bytes), error);
    if (is_before(spec_.serial, header.serial))
        fail(HALO_ERR_MISMATCH,
             "%s: rank %d is already in object %u of this context, this rank in %u: the ranks create their exchanges, groups and reductions in "
             "different order",
             spec_.what.c_str(), spec_.peer, header.serial, spec_.serial);
}

void Stream::take_handshake(const MessageHeader &header) {
    HandshakePayload peer;
    const std::byte *const payload = receive_buffer_.data() + sizeof header;
    std::memcpy(&peer, payload, sizeof peer);
    if (peer.send == spec_.receive.digest && peer.receive == spec_.send.digest) {
        verified_ = true;
        if (spec_.shared) slot_reader_.map(context_.shared_arena(SIZE_MAX), peer.slots, most_bytes(spec_.receive));
        if (spec_.shared) leases_.map(peer.notice, peer.process);
        arrived_ = !spec_.receive.active;
        return;
    }
    send_handshake();
    // As the peer has got them: both find the same.
    compare_terms(spec_.terms().packed(most_terms_bytes),
                  std::string(reinterpret_cast<const char *>(payload) + sizeof peer, header.payload_bytes - sizeof peer));
    mismatched_ = true;
    mismatch_time_ = context_.clock();
    const Terms terms = spec_.terms();
    send_extra(MessageKind::terms, terms.packed().data(), terms.packed().size());
}

void Stream::check_sum(const std::byte *message, size_t bytes, size_t payload_bytes, const std::string &whose) const {
    const size_t summed = bytes - sizeof(uint64_t);
    uint64_t sum;
    std::memcpy(&sum, message + summed, sizeof sum);
    if (sum != checksum(message, summed))
        fail(HALO_ERR_CHECK, "%s: run %u: a message with %zu bytes of payload from rank %d was changed on its way to rank %d%s", spec_.what.c_str(),
             epoch_, payload_bytes, spec_.peer, context_.rank(), whose.c_str());
}

void Stream::take_data(const MessageHeader &header) {
    if (is_before(header.epoch, epoch_) || mismatched_) {
        ++context_.dropped;
        return;
    }
    const char *what = spec_.what.c_str();
    if (header.epoch != epoch_)
        fail(HALO_ERR_WIRE, "%s: rank %d sent run %u, this rank is in run %u: a message is missing", what, spec_.peer, header.epoch, epoch_);
    if (header.narrowing != narrowing_) {
        ++context_.dropped;
        fail_narrowed(header.narrowing);
    }
    check_location(header);
    check_plan(header);
    consumed_by_peer_ = header.consumed;
    expect_parts(header);
    header_ = header;
    ++messages_received;
    ++received_by.of(header.flags, message_ != receive_buffer_.data());
}

// The payload is exactly what the plan of this run says.
void Stream::check_plan(const MessageHeader &header) const {
    const StreamDirection &plan = spec_.receive;
    bool right = header.digest == plan.digest.low && header.n_states == plan.n_states && header.payload_bytes <= plan.payload_bytes;
    const size_t wanted = right && spec_.payload ? spec_.payload(message_) : plan.payload_bytes;
    if (spec_.payload) right = right && header.payload_bytes == wanted;
    if (!right)
        fail(HALO_ERR_WIRE, "%s: run %u from rank %d has digest %016llx, %u states and %llu bytes; expected %016llx, %u and %s%zu",
             spec_.what.c_str(), epoch_, spec_.peer, static_cast<unsigned long long>(header.digest), header.n_states,
             static_cast<unsigned long long>(header.payload_bytes), static_cast<unsigned long long>(plan.digest.low), plan.n_states,
             spec_.payload ? "" : "at most ", wanted);
}

// It is where the header says.
void Stream::check_location(const MessageHeader &header) const {
    const char *where = nullptr;

    if (header.flags & flag_put && !(leases_.has_own() && leases_.own_is_done(epoch_))) where = "this rank's storage";
    if (header.flags & flag_get && !leases_.peers()) where = "the sender's storage, of which it has not told";
    if (where) fail(HALO_ERR_WIRE, "%s: run %u of rank %d is announced in %s, but not there", spec_.what.c_str(), epoch_, spec_.peer, where);
}

void Stream::take_failure(const MessageHeader &header, size_t bytes) {
    if (is_before(consumed_by_peer_, header.epoch)) consumed_by_peer_ = header.epoch;
    if (is_before(header.epoch, epoch_) || !spec_.receive.active) {
        ++context_.dropped;
        return;
    }
    fail_as_told(receive_buffer_.data(), bytes);
}

void Stream::fail_as_told(const std::byte *message, size_t bytes) {
    MessageHeader header;
    FailurePayload told;
    std::memcpy(&header, message, sizeof header);
    std::memcpy(&told, message + sizeof header, sizeof told);
    const size_t before_text = sizeof header + sizeof told;
    const bool lasts = (header.flags & flag_lasts) != 0;
    try {
        fail_after(HALO_ERR_PEER, format("%s: rank %d has no part in run %u", spec_.what.c_str(), spec_.peer, header.epoch),
                   { told.rank, header.status, { reinterpret_cast<const char *>(message) + before_text, bytes - before_text }, lasts });
    } catch (const Error &error) {
        if (lasts) told_ = error;
        throw;
    }
}

void Stream::consume() {
    if (slot_reader_) slot_reader_.read(epoch_);
    if (spec_.receive.active && !spec_.send.active) send_extra(MessageKind::credit);
    consumed_ = epoch_;
}

void Stream::end_failed_run() {
    has_failed_ = true;
    if (receive_ == Receive::posted) // what has been found comes to its end in the next run
        if (const auto header = cancel_receive()) note_cancelled(*header);
    arrived_ = true;
    lacks_parts_ = arriving_.give_up(context_);
    leases_.end_own();
    consume();
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
