// SPDX-License-Identifier: BSD-3-Clause
// What comes in, and what becomes of it.
#include <cstring>

#include "endpoint.h"
#include "report.h"

namespace halo::shm {

using transport::lane_of;
using transport::link_before;
using transport::make_key;
using transport::report;
using transport::tag_of;
using transport::unlink;

namespace {

using State = Request::State;

constexpr int max_burst = 64;        // cells read from one ring before looking elsewhere
constexpr uint32_t idle_turns = 256; // before a silent peer must ring again

constexpr Key where_bits = (Key{ 1 } << 48) - 1; // lane and tag

Key key_from(const Peer &peer, uint64_t where) { return make_key(peer.place, 0, 0) | (where & where_bits); }
Key any_key(Key key) { return key & where_bits; }

void copy_bytes(void *to, const void *from, size_t bytes) {
    if (bytes != 0) std::memcpy(to, from, bytes);
}

} // namespace

int Endpoint::poll(Peer &peer) {
    if (peer.over != Peer::Over::no) return 0;
    int n = 0;
    uint64_t stamp = 0;
    for (const Cell *cell = nullptr; n < max_burst && (cell = peer.in.next(stamp)) != nullptr; ++n) {
        arrive(peer, *cell, stamp); // lack of memory leaves it where it is
        peer.in.release();
    }
    if (n != 0) peer.idle = 0;
    return n;
}

// Nothing came, though its bell is set: after a while it is not asked any more until it rings.
void Endpoint::rest(Peer &peer) {
    if (++peer.idle < idle_turns) return;
    peer.idle = 0;
    uint64_t bit = uint64_t{ 1 } << peer.place % 64;
    std::atomic<uint64_t> &bells = own_.bells(peer.place);
    bells.fetch_and(~bit, std::memory_order_seq_cst);
    uint64_t stamp = 0;
    if (peer.over == Peer::Over::no && peer.in.next(stamp) != nullptr) bells.fetch_or(bit, std::memory_order_seq_cst); // it came meanwhile
}

void Endpoint::arrive(Peer &peer, const Cell &cell, uint64_t stamp) {
    switch (kind_of(stamp)) {
    case Kind::small: return arrive_small(peer, cell, small_size_of(stamp));
    case Kind::first: return arrive_first(peer, cell);
    case Kind::more: return arrive_more(peer, cell);
    case Kind::offer: return arrive_offer(peer, cell);
    case Kind::accept: return arrive_accept(peer, cell);
    case Kind::piece: return arrive_piece(peer, cell);
    case Kind::on: return; // the reader has
    }
}

Request *Endpoint::take_posted(Key key) {
    Keyed *found = posted_.find(key);
    if (found == nullptr) return nullptr;
    posted_.remove(*found);
    return static_cast<Request *>(found);
}

// For a message that nobody waits for, with room for `room` bytes of it.
Stored &Endpoint::store(Key key, size_t bytes, size_t room) {
    Stored &message = *store_.take(room);
    message.key = key;
    message.from_any.key = any_key(key);
    message.from_any.message = &message;
    message.bytes = bytes;
    message.got = 0;
    message.offer = {};
    unexpected_.push(message);
    unexpected_from_any_.push(message.from_any);
    return message;
}

void Endpoint::forget(Stored &message) {
    unexpected_.remove(message);
    unexpected_from_any_.remove(message.from_any);
}

void Endpoint::arrive_small(Peer &peer, const Cell &cell, size_t bytes) {
    Key key = key_from(peer, cell.word[0]);
    if (Request *request = take_posted(key)) {
        bool fits = bytes <= request->size;
        if (fits) copy_bytes(request->data, &cell.word[1], bytes);
        request->bytes = bytes;
        request->status = fits ? HALO_SUCCESS : HALO_ERR_WIRE;
        request->state = State::finished;
        return;
    }
    Stored &message = store(key, bytes, bytes);
    copy_bytes(message.data(), &cell.word[1], bytes);
    message.got = bytes;
}

void Endpoint::arrive_first(Peer &peer, const Cell &cell) {
    Key key = key_from(peer, cell.word[0]);
    size_t bytes = cell.word[1];
    if (Request *request = take_posted(key)) {
        bool fits = bytes <= request->size;
        request->bytes = bytes;
        request->got = 0;
        request->status = fits ? HALO_SUCCESS : HALO_ERR_WIRE;
        request->state = fits ? State::filling : State::finished;
        peer.filling = fits ? request : nullptr;
        peer.storing = nullptr;
    } else {
        peer.storing = &store(key, bytes, bytes);
        peer.filling = nullptr;
    }
    peer.left = bytes;
    arrive_more(peer, cell);
}

void Endpoint::arrive_more(Peer &peer, const Cell &cell) {
    uint64_t place = cell.word[2];
    size_t n = RingReader::size_of_piece(place);
    if (Request *request = peer.filling) {
        copy_bytes(request->data + request->got, peer.in.piece(place), n);
        request->got += n;
        if (request->got == request->bytes) request->state = State::finished;
    } else if (Stored *message = peer.storing) {
        copy_bytes(message->data() + message->got, peer.in.piece(place), n);
        message->got += n;
    }
    peer.in.release_piece(place);
    peer.left -= n;
    if (peer.left == 0) {
        peer.filling = nullptr;
        peer.storing = nullptr;
    }
}

void Endpoint::arrive_offer(Peer &peer, const Cell &cell) {
    Key key = key_from(peer, cell.word[0]);
    size_t bytes = cell.word[1];
    const Offer offer{ reinterpret_cast<void *>(cell.word[2]), reinterpret_cast<const unsigned char *>(cell.word[3]) };
    if (Request *request = take_posted(key))
        accept(peer, *request, bytes, offer);
    else
        store(key, bytes, 0).offer = offer;
}

void Endpoint::accept(Peer &peer, Request &request, size_t bytes, const Offer &offer) {
    request.bytes = bytes;
    request.other = offer.request;
    if (!peer.is_readable || offer.data == nullptr || bytes > request.size) return ask_for(peer, request);
    request.from = offer.data;
    request.n_chunks = 0;
    request.state = State::reading;
    if (read_on(peer, request)) return;
    link_before(peer.readings, request);
    make_busy(peer);
}

// For its pieces. One that does not fit is refused, and so lost.
void Endpoint::ask_for(Peer &peer, Request &request) {
    request.state = State::accepting;
    if (peer.outbox.next == &peer.outbox && push(peer, request)) return;
    link_before(peer.outbox, request);
    make_busy(peer);
}

bool Endpoint::read_chunk(Peer &peer, Request &request) {
    size_t got = request.n_chunks * chunk_bytes;
    size_t n = std::min(chunk_bytes, request.bytes - got);
    Segment::Copied copied = peer.segment.copy_from_owner(request.from + got, request.data + got, n);
    if (copied == Segment::Copied::nothing) peer.is_readable = false;
    if (copied != Segment::Copied::done) return false;
    ++request.n_chunks;
    return true;
}

// A chunk more of its message. True: it is not read any more, as all of it is here, or cannot be.
bool Endpoint::read_on(Peer &peer, Request &request) {
    if (!request.has_all() && !read_chunk(peer, request)) {
        request.size = request.bytes; // it fits
        ask_for(peer, request);
        return true;
    }
    if (!request.has_all() || !has_cell(peer)) return false;
    say_done(peer, request.other);
    request.state = State::finished;
    return true;
}

void Endpoint::read_next(Peer &peer) {
    auto &request = static_cast<Request &>(*peer.readings.next);
    unlink(request);
    if (!read_on(peer, request)) link_before(peer.readings, request);
}

void Endpoint::arrive_accept(Peer &peer, const Cell &cell) {
    auto &request = *reinterpret_cast<Request *>(cell.word[0]);
    request.other = reinterpret_cast<void *>(cell.word[1]);
    if (request.other == nullptr) {
        request.state = State::finished;
        return;
    }
    request.state = State::sending;
    link_before(peer.streams, request);
    make_busy(peer);
}

void Endpoint::arrive_piece(Peer &peer, const Cell &cell) {
    auto &request = *reinterpret_cast<Request *>(cell.word[0]);
    uint64_t place = cell.word[2];
    size_t n = RingReader::size_of_piece(place);
    if (Peer::GivenUp *gone = peer.find_given_up(&request)) [[unlikely]] {
        peer.in.release_piece(place);
        gone->left -= n;
        if (gone->left == 0) peer.given_up.erase(peer.given_up.begin() + (gone - peer.given_up.data()));
        return;
    }
    copy_bytes(request.data + request.got, peer.in.piece(place), n);
    peer.in.release_piece(place);
    request.got += n;
    if (request.got == request.bytes) request.state = State::finished;
}

// ---- asked for by the program

// Nothing is left of a message that had not come when its sender closed or ended.
Stored *Endpoint::usable(Stored &message) {
    if (message.complete()) return &message;
    Peer &peer = peer_of(message.key);
    if (!is_over(peer, false) || message.complete()) return &message;
    forget(message);
    if (peer.storing == &message) peer.storing = nullptr;
    store_.give_back(&message);
    return nullptr;
}

Stored *Endpoint::next_unexpected(Key key) {
    while (Keyed *found = unexpected_.find(key))
        if (Stored *message = usable(static_cast<Stored &>(*found))) return message;
    return nullptr;
}

Stored *Endpoint::next_from_any(int32_t lane, int32_t tag) {
    while (Keyed *found = unexpected_from_any_.find(any_key(make_key(0, lane, tag))))
        if (Stored *message = usable(*static_cast<FromAny *>(found)->message)) return message;
    return nullptr;
}

halo_status Endpoint::receive(int32_t rank, int32_t lane, int32_t tag, Request &request) {
    if (halo_status status = check("receive", rank, lane, tag); status != HALO_SUCCESS) return status;
    Peer &peer = peer_of(rank);
    if (halo_status status = reserve(peer, 0); status != HALO_SUCCESS) return status; // it may have to accept
    request.key = make_key(peer.place, lane, tag);
    if (Stored *message = next_unexpected(request.key)) {
        forget(*message);
        take(*message, request);
        return HALO_SUCCESS;
    }
    posted_.push(request);
    request.state = State::posted;
    return HALO_SUCCESS;
}

// The message is in no table any more.
void Endpoint::take(Stored &message, Request &request) {
    Peer &peer = peer_of(message.key);
    request.bytes = message.bytes;
    if (message.offer.request != nullptr) {
        accept(peer, request, message.bytes, message.offer);
    } else if (message.bytes > request.size) {
        request.status = HALO_ERR_WIRE;
        request.state = State::finished;
    } else {
        copy_bytes(request.data, message.data(), message.got);
        request.got = message.got;
        request.state = message.complete() ? State::finished : State::filling;
        if (request.state == State::filling) peer.filling = &request;
    }
    if (peer.storing == &message) peer.storing = nullptr;
    store_.give_back(&message);
}

halo_status Endpoint::probe(int32_t rank, int32_t lane, int32_t tag, Stored *&message) {
    message = nullptr;
    bool from_any = rank == -1 && lane >= 0 && lane < n_lanes_ && tag >= 0;
    if (!from_any)
        if (halo_status status = check("probe", rank, lane, tag); status != HALO_SUCCESS) return status;
    auto next = [&] { return from_any ? next_from_any(lane, tag) : next_unexpected(make_key(peer_of(rank).place, lane, tag)); };
    message = next();
    if (message == nullptr) {
        progress();
        message = next();
    }
    if (message != nullptr) {
        forget(*message);
        return HALO_SUCCESS;
    }
    if (from_any) { // who waits for long may wait for one that has died
        const Peer *dead = ++n_waits_for_any_ % 64 == 0 ? find_dead() : nullptr;
        return dead != nullptr ? lost(*dead) : HALO_SUCCESS;
    }
    if (!is_over(peer_of(rank), ++n_waits_ % 64 == 0)) return HALO_SUCCESS;
    message = next();
    if (message != nullptr) forget(*message);
    return message == nullptr && peer_of(rank).over == Peer::Over::died ? lost(peer_of(rank)) : HALO_SUCCESS;
}

halo_status Endpoint::receive_matched(Stored &message, Request &request) {
    Peer &peer = peer_of(message.key);
    request.key = message.key;
    if (halo_status status = reserve(peer, 0); status != HALO_SUCCESS) return status;
    if (!message.complete() && is_over(peer, false) && !message.complete()) {
        halo_status status = report(host_, HALO_ERR_TRANSPORT, "rank %d %s before its message of %zu bytes (lane %d, tag %d) was received", peer.rank,
                                    peer.over == Peer::Over::died ? "ended" : "closed", message.bytes, lane_of(message.key), tag_of(message.key));
        store_.give_back(&message);
        return status;
    }
    take(message, request);
    return HALO_SUCCESS;
}

} // namespace halo::shm
