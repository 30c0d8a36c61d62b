// SPDX-License-Identifier: BSD-3-Clause
// How a stream finds its peer's messages, in a slot or by the transport, looks at their headers, and takes what they bring.
#include <algorithm>
#include <cstring>
#include <utility>

#include "stream/stream.h"

namespace halo {

namespace {

constexpr uint32_t looks_per_probe = 16; // into a slot, which costs next to nothing, for one to the transport

} // namespace

size_t Stream::receive_capacity() const { return std::max(least_capacity, most_bytes(spec_.receive) + checksum_bytes(MessageKind::data)); }

void Stream::ensure_receive_buffer(size_t bytes) {
    if (!is_fit(receive_buffer_, bytes)) receive_buffer_ = new_buffer(bytes);
}

void Stream::post_receive() {
    if (receive_ != Receive::none || held_ || ahead_bytes_ > 0) return;
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

// As long as its header tells; the rest is room. Where that cannot be, all of it: then its header is found to be wrong.
void Stream::bring(std::byte *message) {
    if (arrived_) return;
    MessageHeader header;
    std::memcpy(&header, message, sizeof header);
    const size_t room = bytes_together(false);
    const size_t bytes = payload_offset(header.n_states) + header.payload_bytes + checksum_bytes(header.kind);
    held_ = header.payload_bytes < room && bytes <= room ? bytes : room;
    brought_ = message;
}

bool Stream::test() {
    if (together_ && !brought_) return arrived_;
    const bool may_lie_in_slot = !arrived_ && slot_reader_;
    if (may_lie_in_slot && (find_in_slot() || (receive_ == Receive::none && !held_ && ++looks_ % looks_per_probe != 0))) return arrived_;
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
    if (header.kind != MessageKind::data || header.serial != spec_.serial || header.epoch != epoch_)
        fail(HALO_ERR_WIRE, "%s: run %u of rank %d: its shared memory holds a message of kind %u, object %u, run %u", spec_.what.c_str(), epoch_,
             spec_.peer, static_cast<unsigned>(header.kind), header.serial, header.epoch);
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
    if (held_) {
        bytes = *held_;
        held_.reset();
        return true;
    }
    if (in_ahead_ || ahead_bytes_ > 0) return take_ahead(bytes);
    if (receive_ == Receive::none && !begin_receive(false)) return false;
    return has_come(bytes);
}

// False: nothing has been found; or, `alone`, it has no room, and stays found until the caller takes memory for it.
bool Stream::begin_receive(bool alone) {
    const auto has_room = [&](size_t bytes) { return !alone || is_fit(receive_buffer_, bytes); };
    if (!probing()) {
        if (!has_room(receive_capacity())) return false;
        post_receive();
        return true;
    }
    Matched message{};
    size_t bytes = 0;
    if (alone && !context_.fabric().has_room_to_find()) return false;
    if (!context_.fabric().probe(spec_.peer, 0, tag_, bytes, message)) return false;
    const size_t wanted = std::max(bytes, least_capacity);
    if (!has_room(wanted)) return false;
    ensure_receive_buffer(wanted);
    context_.fabric().receive_matched(message, spec_.peer, receive_buffer_.data(), receive_buffer_.bytes(), receive_request_);
    receive_ = Receive::matched;
    return true;
}

bool Stream::has_come(size_t &bytes) {
    if (!context_.fabric().test(receive_request_, spec_.peer, &bytes)) return false;
    receive_ = Receive::none;
    return true;
}

// True: nothing more comes before the caller has looked at what has, or begun another run.
bool Stream::come_alone() {
    if (arrived_ || held_) return true;
    if (together_) return true; // by the neighbourhood
    if (awaits_parts()) return arriving_.come_alone(context_, spec_.peer, tag_);
    if (in_ahead_ || ahead_bytes_ > 0) return has_come_ahead();
    if (receive_ == Receive::none && !begin_receive(true)) return false;
    size_t bytes = 0;
    if (has_come(bytes)) held_ = bytes;
    return held_.has_value();
}

bool Stream::progress_alone() {
    bool under_way = !come_alone();
    const auto leaves = [&](auto &message) { under_way = !is_complete(*message, context_.fabric()) || under_way; };
    std::for_each(std::begin(slots_), std::end(slots_), leaves);
    std::for_each(extras_.begin(), extras_.end(), leaves);
    for (LeavingParts &leaving : leaving_) under_way = leaving.any_under_way(context_) || under_way;
    return under_way;
}

// What comes after a failure is for the next run.
void Stream::take(std::optional<Error> &first) noexcept {
    if (take_failed_) return;
    try {
        test();
    } catch (...) {
        take_failed_ = true;
        if (!first) first = present_error();
    }
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
    if (together_ || !arrived_ || !spec_.receive.active || held_ || ahead_bytes_ > 0) return;
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
    if (wire_error(header, ahead_bytes_, context_.check_mode()) || header.serial != spec_.serial) return;
    if (header.kind == MessageKind::failure && (header.flags & flag_lasts) != 0) fail_as_told(ahead_buffer_.data(), ahead_bytes_);
    if (header.kind == MessageKind::failure || header.kind == MessageKind::credit) consumed_by_peer_ = header.epoch;
}

void Stream::take(size_t bytes) {
    MessageHeader header{};
    message_ = brought_ ? std::exchange(brought_, nullptr) : receive_buffer_.data();
    std::memcpy(&header, message_, std::min(bytes, sizeof header));
    if (header.magic == part_magic) return take_late_part(bytes);
    check_header(header, bytes, context_.check_mode());
    if (is_before(header.serial, spec_.serial)) {
        ++context_.dropped;
        return;
    }
    note_abilities(header);
    if (overtakes_slot(header)) {
        held_ = bytes;
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
        if (spec_.uses_storage) leases_.map(peer.notice, peer.process);
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

// Of a message as a whole: its checksum does not tell which of these has changed.
std::string Stream::name_carried() const {
    constexpr size_t most = 4;
    if (!spec_.edges) return {};
    const std::vector<WireEdge> edges = spec_.edges(false);
    std::string text = format("; it carries %zu channel%s: ", edges.size(), edges.size() == 1 ? "" : "s");
    for (size_t i = 0; i < std::min(most, edges.size()); ++i) text += (i == 0 ? "" : "; ") + spec_.name(edges[i].key);
    return text + (edges.size() > most ? "; ..." : "");
}

void Stream::check_sum(const std::byte *message, size_t bytes, size_t payload_bytes, const std::string &whose) const {
    const size_t summed = bytes - sizeof(uint64_t);
    uint64_t sum;
    std::memcpy(&sum, message + summed, sizeof sum);
    if (sum != checksum(message, summed))
        fail(HALO_ERR_CHECK, "%s: run %u: a message with %zu bytes of payload from rank %d was changed on its way to rank %d%s", spec_.what.c_str(),
             epoch_, payload_bytes, spec_.peer, context_.rank(), whose.empty() ? name_carried().c_str() : whose.c_str());
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
    ++received_by.of(header.flags, !together_ && message_ != receive_buffer_.data());
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
    if (header.flags & flag_get && !leases_.peers()) where = "the sender's storage, of which it has not told, or which this rank does not use";
    if (where) fail(HALO_ERR_WIRE, "%s: run %u of rank %d is announced in %s, but not there", spec_.what.c_str(), epoch_, spec_.peer, where);
}

void Stream::take_failure(const MessageHeader &header, size_t bytes) {
    if (is_before(consumed_by_peer_, header.epoch)) consumed_by_peer_ = header.epoch;
    if (is_before(header.epoch, epoch_) || !spec_.receive.active) {
        ++context_.dropped;
        return;
    }
    fail_as_told(message_, bytes);
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

} // namespace halo
