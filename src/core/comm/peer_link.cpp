// SPDX-License-Identifier: BSD-3-Clause
#include "comm/peer_link.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace halo {

namespace {

constexpr size_t least_capacity = 1024; // handshakes, credits and failure texts fit into every receive buffer
constexpr int64_t claim_seconds = 1;    // how long a peer may take to write or read a message's worth of data
constexpr double key_swap_seconds = 10; // how long to wait for the peer's edges after a mismatch

struct HandshakePayload {
    Digest send;
    Digest receive;
    SharedOffer offer;
    SharedOffer notice;
};

} // namespace

PeerLink::PeerLink(Context &context, LinkSpec spec) : context_(context), spec_(std::move(spec)), tag_(spec_.tag) {
    for (auto &slot : slots_) {
        slot = std::make_unique<PendingSend>();
        slot->peer = spec_.peer;
    }
}

PeerLink::~PeerLink() {
    if (own_block_) context_.shared_arena(spec_.send.payload_bytes)->release(own_block_, last_shared_epoch_);
    if (own_notice_ && StorageGate(own_notice_).close()) context_.shared_arena(SIZE_MAX)->release(own_notice_, 0);
    for (auto &slot : slots_)
        if (slot->in_flight) context_.linger(std::move(slot));
    for (auto &extra : extras_)
        if (extra->in_flight) context_.linger(std::move(extra));
}

void PeerLink::post(uint32_t epoch, const Narrowing &narrowing) {
    epoch_ = epoch;
    narrowing_ = narrowing;
    arrived_ = !due();
    if (!arrived_ && !probing()) post_receive();
}

bool PeerLink::poll(PendingSend &slot) {
    if (slot.in_flight && context_.transport().test(slot.request, spec_.peer)) slot.in_flight = false;
    return !slot.in_flight;
}

bool PeerLink::credit_left() const { return spec_.receive.active || epoch_ - consumed_by_peer_ <= 2; }

bool PeerLink::writable() {
    while (!credit_left() && find_message()) {}
    if (!credit_left()) return false;
    slot_ = poll(*slots_[0]) ? 0 : 1;
    if (slot_ == 1 && !poll(*slots_[1])) return false;
    Buffer &buffer = slots_[slot_]->buffer;
    sending_shared_ = may_send_shared();
    const size_t in_message = sending_shared_ ? 0 : spec_.send.payload_bytes;
    const size_t wanted = payload_offset(spec_.send.n_states) + in_message + checksum_bytes(MessageKind::data);
    if (buffer.bytes() < wanted) buffer = context_.host_buffer(wanted);
    return true;
}

// The slot of this run is that of the last but one: the peer must have read what it holds.
bool PeerLink::may_send_shared() const {
    if (!peer_reads_shared_ || !own_block_) return false;
    const bool same_slot = (epoch_ - last_shared_epoch_) % 2 == 0;
    const uint32_t must_be_read = same_slot ? last_shared_epoch_ : shared_before_epoch_;
    return static_cast<int32_t>(own_block_.read_epoch().load(std::memory_order_acquire) - must_be_read) >= 0;
}

MessageHeader PeerLink::make_header(MessageKind kind, size_t payload_bytes) const {
    MessageHeader header{};
    header.magic = message_magic;
    header.version = wire_version;
    header.kind = kind;
    header.serial = spec_.serial;
    header.epoch = epoch_;
    header.flags = static_cast<uint16_t>((peer_block_ ? flag_reads_shared : 0) | (prefers_messages_ ? flag_prefers_messages : 0) |
                                         (peer_notice_ ? flag_has_notice : 0));
    header.digest = spec_.send.digest.low;
    header.payload_bytes = payload_bytes;
    header.mask_hash = narrowing_.mask_hash;
    header.first_component = narrowing_.first_component;
    header.n_components = narrowing_.n_components;
    header.depth = narrowing_.depth;
    header.consumed = consumed_;
    return header;
}

void PeerLink::send(size_t payload_bytes) {
    send_handshake();
    if (!spec_.send.active) return;
    if (sending_shared_) {
        shared_before_epoch_ = std::exchange(last_shared_epoch_, epoch_);
        own_block_.written_epoch().store(epoch_, std::memory_order_release);
    }
    send_data(payload_bytes, sending_shared_ ? flag_shared : 0);
}

void PeerLink::send_landed(size_t payload_bytes) {
    StorageGate(peer_notice_).done(spec_.serial, epoch_);
    send_data(payload_bytes, flag_landed);
    ++messages_landed;
}

void PeerLink::send_lent(size_t payload_bytes) {
    send_handshake();
    StorageGate(own_notice_).open(spec_.serial, epoch_);
    send_data(payload_bytes, flag_lent);
    ++messages_landed;
}

void PeerLink::send_after_all(size_t payload_bytes) {
    send_extra(MessageKind::data, HALO_SUCCESS, send_payload(), payload_bytes);
    --messages_landed;
}

// Payload that lies elsewhere is no part of the message.
void PeerLink::send_data(size_t payload_bytes, uint16_t flags) {
    PendingSend &slot = *slots_[slot_];
    MessageHeader header = make_header(MessageKind::data, payload_bytes);
    header.n_states = spec_.send.n_states;
    header.flags |= flags;
    size_t bytes = payload_offset(spec_.send.n_states) + (flags == 0 ? payload_bytes : 0);
    std::memcpy(slot.buffer.data(), &header, sizeof header);
    if (context_.check_mode()) [[unlikely]] {
        const uint64_t sum = checksum(slot.buffer.data(), bytes);
        std::memcpy(slot.buffer.data() + bytes, &sum, sizeof sum);
        bytes += sizeof sum;
    }
    context_.transport().send(spec_.peer, 0, tag_, slot.buffer.data(), bytes, slot.request);
    slot.in_flight = true;
    ++messages_sent;
    bytes_sent += static_cast<int64_t>(bytes);
    payload_sent += static_cast<int64_t>(payload_bytes);
}

void PeerLink::send_handshake() {
    if (handshake_sent_) return;
    handshake_sent_ = true;
    SharedArena *arena = spec_.shared && spec_.send.active ? context_.shared_arena(spec_.send.payload_bytes) : nullptr;
    if (arena) own_block_ = arena->allocate(2 * slot_bytes(spec_.send));
    const HandshakePayload payload{ spec_.send.digest, spec_.receive.digest, own_block_.offer(), own_notice_.offer() };
    send_extra(MessageKind::handshake, HALO_SUCCESS, &payload, sizeof payload);
}

void PeerLink::send_failure(uint32_t epoch, halo_status status, const char *text) {
    epoch_ = epoch;
    send_handshake();
    send_extra(MessageKind::failure, status, text, std::min(std::strlen(text), least_capacity - sizeof(MessageHeader)));
}

// A message outside the two slots: rare, except for credits, whose memory is reused.
void PeerLink::send_extra(MessageKind kind, halo_status status, const void *payload, size_t bytes) {
    auto free_slot = std::find_if(extras_.begin(), extras_.end(), [&](auto &extra) { return poll(*extra); });
    if (free_slot == extras_.end()) {
        extras_.push_back(std::make_unique<PendingSend>());
        free_slot = extras_.end() - 1;
        (*free_slot)->peer = spec_.peer;
    }
    PendingSend &extra = **free_slot;
    if (extra.buffer.bytes() < sizeof(MessageHeader) + bytes) extra.buffer = context_.host_buffer(sizeof(MessageHeader) + bytes);
    MessageHeader header = make_header(kind, bytes);
    header.status = status;
    std::memcpy(extra.buffer.data(), &header, sizeof header);
    if (bytes > 0) std::memcpy(extra.buffer.data() + sizeof header, payload, bytes);
    context_.transport().send(spec_.peer, 0, tag_, extra.buffer.data(), sizeof header + bytes, extra.request);
    extra.in_flight = true;
    ++messages_sent;
    bytes_sent += static_cast<int64_t>(sizeof header + bytes);
}

void PeerLink::ensure_receive_buffer(size_t bytes) {
    if (receive_buffer_.bytes() < bytes) receive_buffer_ = context_.host_buffer(bytes);
}

void PeerLink::post_receive() {
    if (receive_ != Receive::none) return;
    const size_t most = payload_offset(spec_.receive.n_states) + spec_.receive.payload_bytes + checksum_bytes(MessageKind::data);
    const size_t capacity = std::max(least_capacity, most);
    ensure_receive_buffer(capacity);
    context_.transport().receive(spec_.peer, 0, tag_, receive_buffer_.data(), capacity, receive_request_);
    receive_ = Receive::posted;
}

bool PeerLink::borrow() {
    arrived_ = StorageGate(peer_notice_).claim(spec_.serial, epoch_);
    return arrived_;
}

void PeerLink::decline() {
    StorageGate(peer_notice_).open(spec_.serial, epoch_);
    arrived_ = false;
}

bool PeerLink::test() {
    while (!arrived_ && find_message()) {}
    return arrived_;
}

// Take one message, if there is one.
bool PeerLink::find_message() {
    if (mismatched_) check_swap_deadline();
    size_t bytes = 0;
    if (!receive_one(bytes)) return false;
    take(bytes);
    return true;
}

bool PeerLink::receive_one(size_t &bytes) {
    Transport &transport = context_.transport();
    if (receive_ == Receive::none && probing()) {
        halo_matched message{};
        if (!transport.probe(spec_.peer, 0, tag_, bytes, message)) return false;
        ensure_receive_buffer(std::max(bytes, sizeof(MessageHeader)));
        transport.receive_matched(message, spec_.peer, receive_buffer_.data(), receive_buffer_.bytes(), receive_request_);
        receive_ = Receive::matched;
    } else if (receive_ == Receive::none) {
        post_receive();
    }
    if (!transport.test(receive_request_, spec_.peer, &bytes)) return false;
    receive_ = Receive::none;
    return true;
}

void PeerLink::take(size_t bytes) {
    MessageHeader header;
    if (bytes < sizeof header)
        fail(HALO_ERR_WIRE, "%s: message of %zu bytes from rank %d is shorter than a header", spec_.what.c_str(), bytes, spec_.peer);
    std::memcpy(&header, receive_buffer_.data(), sizeof header);
    check_header(header, bytes);
    if (static_cast<int32_t>(header.serial - spec_.serial) < 0) {
        ++context_.dropped;
        return;
    }
    peer_reads_shared_ = peer_reads_shared_ || header.flags & flag_reads_shared;
    peer_has_notice_ = peer_has_notice_ || header.flags & flag_has_notice;
    switch (header.kind) {
    case MessageKind::handshake: return take_handshake(header, bytes);
    case MessageKind::data: return take_data(header, bytes);
    case MessageKind::failure: return take_failure(header, bytes);
    case MessageKind::keys: return take_keys(header, bytes);
    case MessageKind::credit: consumed_by_peer_ = header.epoch; return;
    }
    fail(HALO_ERR_WIRE, "%s: message of unknown kind %u from rank %d", spec_.what.c_str(), static_cast<unsigned>(header.kind), spec_.peer);
}

void PeerLink::check_header(const MessageHeader &header, size_t bytes) const {
    if (header.magic != message_magic || header.version != wire_version)
        fail(HALO_ERR_WIRE, "%s: message from rank %d has magic %08x and wire version %u, expected %08x and %u: another library or a damaged message",
             spec_.what.c_str(), spec_.peer, header.magic, header.version, message_magic, wire_version);
    if (static_cast<int32_t>(header.serial - spec_.serial) > 0)
        fail(HALO_ERR_MISMATCH,
             "%s: rank %d is already in object %u of this context, this rank in %u: the ranks create their exchanges and groups in different order",
             spec_.what.c_str(), spec_.peer, header.serial, spec_.serial);
    const size_t front = header.kind == MessageKind::data ? payload_offset(header.n_states) : sizeof header;
    const uint64_t behind = header.flags & (flag_shared | flag_landed | flag_lent) ? 0 : header.payload_bytes;
    const bool nowhere =
        (header.flags & flag_shared && !peer_block_) || (header.flags & flag_landed && !own_notice_) || (header.flags & flag_lent && !peer_notice_);
    if (bytes != front + behind + checksum_bytes(header.kind) || nowhere)
        fail(HALO_ERR_WIRE, "%s: message from rank %d has %zu bytes, its header says %llu of payload after %zu: truncated or damaged",
             spec_.what.c_str(), spec_.peer, bytes, static_cast<unsigned long long>(header.payload_bytes), front);
}

void PeerLink::take_handshake(const MessageHeader &, size_t bytes) {
    HandshakePayload peer;
    if (bytes != sizeof(MessageHeader) + sizeof peer)
        fail(HALO_ERR_WIRE, "%s: handshake of %zu bytes from rank %d", spec_.what.c_str(), bytes, spec_.peer);
    std::memcpy(&peer, receive_buffer_.data() + sizeof(MessageHeader), sizeof peer);
    if (peer.send == spec_.receive.digest && peer.receive == spec_.send.digest) {
        verified_ = true;
        if (SharedArena *arena = spec_.shared ? context_.shared_arena(spec_.receive.payload_bytes) : nullptr) peer_block_ = arena->map(peer.offer);
        if (peer_block_ && peer.offer.bytes < SharedBlock::front + 2 * slot_bytes(spec_.receive)) peer_block_ = {};
        if (SharedArena *arena = spec_.shared ? context_.shared_arena(SIZE_MAX) : nullptr) peer_notice_ = arena->map(peer.notice);
        arrived_ = !spec_.receive.active;
        return;
    }
    mismatched_ = true;
    mismatch_time_ = std::chrono::steady_clock::now();
    send_handshake();
    const std::vector<WireEdge> sending = spec_.edges(true);
    const std::vector<WireEdge> receiving = spec_.edges(false);
    std::vector<WireEdge> all = sending;
    all.insert(all.end(), receiving.begin(), receiving.end());
    epoch_ = static_cast<uint32_t>(sending.size()); // a mismatched link sends nothing more: the epoch carries the split
    send_extra(MessageKind::keys, HALO_SUCCESS, all.data(), all.size() * sizeof(WireEdge));
}

namespace {

// First difference between what one end sends and the other receives.
std::string first_difference(std::vector<WireEdge> sent, int32_t sender, std::vector<WireEdge> received, int32_t receiver) {
    for (size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
        const bool no_sender = i >= sent.size() || (i < received.size() && before(received[i].key, sent[i].key));
        const bool no_receiver = i >= received.size() || (i < sent.size() && before(sent[i].key, received[i].key));
        if (no_sender)
            return format("channel %s is received by rank %d but not sent by rank %d", describe(received[i].key).c_str(), receiver, sender);
        if (no_receiver) return format("channel %s is sent by rank %d but not received by rank %d", describe(sent[i].key).c_str(), sender, receiver);
        if (sent[i].bytes != received[i].bytes || sent[i].type != received[i].type)
            return format("channel %s has %lld bytes (type %d) on sending rank %d, %lld bytes (type %d) on receiving rank %d",
                          describe(sent[i].key).c_str(), static_cast<long long>(sent[i].bytes), sent[i].type, sender,
                          static_cast<long long>(received[i].bytes), received[i].type, receiver);
        if (sent[i].pattern != received[i].pattern)
            return format("channel %s: the maps of points on sending rank %d and receiving rank %d leave out different points",
                          describe(sent[i].key).c_str(), sender, receiver);
    }
    return {};
}

} // namespace

void PeerLink::take_keys(const MessageHeader &header, size_t) {
    std::vector<WireEdge> all(header.payload_bytes / sizeof(WireEdge));
    if (!all.empty()) std::memcpy(all.data(), receive_buffer_.data() + sizeof header, all.size() * sizeof(WireEdge));
    const auto split = all.begin() + std::min<std::ptrdiff_t>(header.epoch, std::ssize(all));
    const int32_t here = context_.rank();
    const auto outward = [&] { return first_difference(spec_.edges(true), here, { split, all.end() }, spec_.peer); };
    const auto inward = [&] { return first_difference({ all.begin(), split }, spec_.peer, spec_.edges(false), here); };
    std::string difference = here < spec_.peer ? outward() : inward(); // what the lower rank sends comes first: both ranks name the same
    if (difference.empty()) difference = here < spec_.peer ? inward() : outward();
    if (difference.empty()) difference = "the channels agree, but not the fields' names or sizes";
    fail(HALO_ERR_MISMATCH, "%s: the plans of rank %d and rank %d differ: %s", spec_.what.c_str(), here, spec_.peer, difference.c_str());
}

void PeerLink::check_swap_deadline() const {
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - mismatch_time_;
    if (waited.count() > key_swap_seconds)
        fail(HALO_ERR_MISMATCH, "%s: the plans of rank %d (%lld channels out, %lld in) and rank %d differ", spec_.what.c_str(), context_.rank(),
             static_cast<long long>(spec_.send.n_edges), static_cast<long long>(spec_.receive.n_edges), spec_.peer);
}

void PeerLink::check_sum(const MessageHeader &header, size_t bytes) const {
    const size_t summed = bytes - sizeof(uint64_t);
    uint64_t sum;
    std::memcpy(&sum, receive_buffer_.data() + summed, sizeof sum);
    if (sum != checksum(receive_buffer_.data(), summed))
        fail(HALO_ERR_CHECK, "%s: run %u: a message with %llu bytes of payload from rank %d was changed on its way to rank %d", spec_.what.c_str(),
             epoch_, static_cast<unsigned long long>(header.payload_bytes), spec_.peer, context_.rank());
}

void PeerLink::take_data(const MessageHeader &header, size_t bytes) {
    if (header.epoch < epoch_ || mismatched_) {
        ++context_.dropped;
        return;
    }
    const char *what = spec_.what.c_str();
    if (header.epoch > epoch_)
        fail(HALO_ERR_WIRE, "%s: rank %d sent run %u, this rank is in run %u: a message is missing", what, spec_.peer, header.epoch, epoch_);
    const Narrowing peer{ header.mask_hash, header.first_component, header.n_components, header.depth };
    if (peer != narrowing_)
        fail(HALO_ERR_MISMATCH,
             "%s: run %u is narrowed differently: rank %d has components %d+%d, depth %d, field mask %016llx; rank %d has components %d+%d, depth "
             "%d, field mask %016llx",
             what, epoch_, spec_.peer, peer.first_component, peer.n_components, peer.depth, static_cast<unsigned long long>(peer.mask_hash),
             context_.rank(), narrowing_.first_component, narrowing_.n_components, narrowing_.depth,
             static_cast<unsigned long long>(narrowing_.mask_hash));
    if (header.digest != spec_.receive.digest.low || header.n_states != spec_.receive.n_states || header.payload_bytes > spec_.receive.payload_bytes)
        fail(HALO_ERR_WIRE, "%s: run %u from rank %d has digest %016llx, %u states and %llu bytes; expected %016llx, %u and at most %zu", what,
             epoch_, spec_.peer, static_cast<unsigned long long>(header.digest), header.n_states,
             static_cast<unsigned long long>(header.payload_bytes), static_cast<unsigned long long>(spec_.receive.digest.low), spec_.receive.n_states,
             spec_.receive.payload_bytes);
    if (checksum_bytes(header.kind) > 0) [[unlikely]]
        check_sum(header, bytes);
    if (header.flags & flag_shared && static_cast<int32_t>(peer_block_.written_epoch().load(std::memory_order_acquire) - epoch_) < 0)
        fail(HALO_ERR_WIRE, "%s: run %u of rank %d is announced in shared memory, but not there", what, epoch_, spec_.peer);
    if (header.flags & flag_landed && !StorageGate(own_notice_).is_done(spec_.serial, epoch_))
        fail(HALO_ERR_WIRE, "%s: run %u of rank %d is announced in this rank's storage, but not there", what, epoch_, spec_.peer);
    consumed_by_peer_ = header.consumed;
    header_ = header;
    arrived_ = true;
    ++messages_received;
}

void PeerLink::take_failure(const MessageHeader &header, size_t bytes) {
    consumed_by_peer_ = std::max(consumed_by_peer_, header.epoch);
    if (header.epoch < epoch_ || !spec_.receive.active) {
        ++context_.dropped;
        return;
    }
    const std::string text(reinterpret_cast<const char *>(receive_buffer_.data()) + sizeof header, bytes - sizeof header);
    fail(HALO_ERR_PEER, "%s: rank %d could not start run %u: %s: %s", spec_.what.c_str(), spec_.peer, header.epoch, status_name(header.status),
         text.c_str());
}

void PeerLink::consume() {
    consumed_ = epoch_;
    if (arrived_ && header_.epoch == epoch_ && header_.flags & flag_shared) peer_block_.read_epoch().store(epoch_, std::memory_order_release);
    if (spec_.receive.active && !spec_.send.active) send_extra(MessageKind::credit, HALO_SUCCESS, nullptr, 0);
}

void PeerLink::end_failed_run() {
    if (receive_ != Receive::none && context_.transport().cancel(receive_request_, spec_.peer)) {
        MessageHeader header; // it had come: only a handshake still matters
        std::memcpy(&header, receive_buffer_.data(), sizeof header);
        if (header.magic == message_magic && header.serial == spec_.serial && header.kind == MessageKind::handshake)
            take_handshake(header, sizeof header + header.payload_bytes);
    }
    receive_ = Receive::none;
    arrived_ = true;
    close_gate();
    consume();
}

// The peer uses this rank's storage no more in this run. One that is at it has all it needs to end; one that has died in the middle does not.
void PeerLink::close_gate() noexcept {
    if (!own_notice_) return;
    const auto begin = std::chrono::steady_clock::now();
    while (!StorageGate(own_notice_).close())
        if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(claim_seconds)) return;
}

void PeerLink::abandon() noexcept {
    try {
        if (receive_ != Receive::none) context_.transport().cancel(receive_request_, spec_.peer);
    } catch (...) { // it had ended, in an error: nothing is left to cancel
    }
    receive_ = Receive::none;
    arrived_ = true;
    close_gate();
    for (auto &slot : slots_) slot->abandoned = true;
    for (auto &extra : extras_) extra->abandoned = !mismatched_; // the peer needs this rank's edges to name the difference
}

} // namespace halo
