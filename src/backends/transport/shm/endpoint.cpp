// SPDX-License-Identifier: BSD-3-Clause
// Opening, sending, completion.
#include "endpoint.h"

#include <sched.h>

#include <cerrno>
#include <cstring>
#include <ctime>

#include "report.h"

namespace halo::shm {

using transport::lane_of;
using transport::link_before;
using transport::make_key;
using transport::make_ring;
using transport::report;
using transport::tag_of;
using transport::unlink;

namespace {

using State = Request::State;

constexpr int32_t max_lanes = 1 << 16;
constexpr int64_t look_every = 200'000'000; // nanoseconds between two questions whether a peer lives
constexpr int64_t patience = 1'000'000'000; // of cancel, for a message that is coming in

bool is_empty(const Link &anchor) { return anchor.next == &anchor; }

int64_t clock_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec * int64_t{ 1'000'000'000 } + now.tv_nsec;
}

} // namespace

// ---- opening

bool Endpoint::make_segment(const std::vector<int32_t> &places, Trouble &trouble) {
    auto n = static_cast<int32_t>(places.size());
    peers_.resize(places.size());
    for (int32_t place = 0; place < n; ++place) {
        if (places[static_cast<size_t>(place)] == rank_) {
            place_ = place;
            continue;
        }
        auto peer = std::make_unique<Peer>();
        peer->rank = places[static_cast<size_t>(place)];
        peer->place = place;
        make_ring(peer->outbox);
        make_ring(peer->streams);
        make_ring(peer->readings);
        peers_[static_cast<size_t>(place)] = std::move(peer);
    }
    if (n <= 1) return true;
    n_bell_words_ = (places.size() + 63) / 64;
    return own_.create(n, trouble);
}

void Endpoint::meet(int32_t place, const SegmentAddress &address, uint64_t started) {
    Peer *peer = peers_[static_cast<size_t>(place)].get();
    if (peer == nullptr) return;
    Trouble trouble = "";
    if (!peer->segment.map(address, place_, trouble)) {
        if (host_->log != nullptr) {
            char text[300];
            std::snprintf(text, sizeof text, "transport shm does not reach rank %d: %s", peer->rank, trouble);
            host_->log(host_->core, 2, text);
        }
        peers_[static_cast<size_t>(place)].reset();
        return;
    }
    peer->process = { address.process, started };
    peer->out = RingWriter(own_.ring_to(place));
    peer->in = RingReader(peer->segment.mapped_ring());
    peer->bells = &peer->segment.bells(place_);
    peer->bell = uint64_t{ 1 } << place_ % 64;
    peer->looked_at = clock_now();
    peer->is_readable = copy_ != Copy::twice && is_readable(*peer);
    peer->segment.mapped_by(place_).store(peer->is_readable ? Segment::Mapped::yes_and_readable : Segment::Mapped::yes,
                                          std::memory_order_release); // the exchange that follows orders it as well
}

bool Endpoint::is_readable(const Peer &peer) const {
    if (peer.segment.copy_from_owner(nullptr, nullptr, 0) == Segment::Copied::done) return true;
    if (host_->log != nullptr) {
        char text[300];
        std::snprintf(text, sizeof text, "transport shm copies messages from rank %d twice, as its memory cannot be read: %s", peer.rank,
                      std::strerror(errno));
        host_->log(host_->core, copy_ == Copy::once ? 1 : 2, text);
    }
    return false;
}

bool Endpoint::sends_by_calls(int32_t rank) const {
    if (rank == rank_ || !reaches(rank)) return false;
    const Peer &peer = *by_rank_[static_cast<size_t>(rank)];
    return !(peer.reads_here && peer.is_readable);
}

void Endpoint::settle() {
    for (std::unique_ptr<Peer> &peer : peers_) {
        if (peer == nullptr) continue;
        Segment::Mapped mapped = own_.mapped_by(peer->place).load(std::memory_order_acquire);
        const bool reads_here = mapped == Segment::Mapped::yes_and_readable && copy_ != Copy::twice;
        if (mapped == Segment::Mapped::no || (readable_only_ && !(reads_here && peer->is_readable))) {
            peer.reset();
            continue;
        }
        by_rank_[static_cast<size_t>(peer->rank)] = peer.get();
        peer->reads_here = reads_here;
        if (reads_here) peer->unasked = copy_ == Copy::once ? small_bytes : unasked_if_readable;
    }
}

// Whoever sees this has seen all that was sent before. Who reads a message here notices when the segment is gone.
Endpoint::~Endpoint() {
    if (peers_.size() > 1 && own_.mapped_ring() != nullptr) own_.closed().store(1, std::memory_order_release);
}

halo_status Endpoint::open_lanes(int32_t n_lanes) {
    if (n_lanes > max_lanes) return report(host_, HALO_ERR_LIMIT, "%d lanes asked for, at most %d can be had", n_lanes, max_lanes);
    if (n_lanes > n_lanes_) n_lanes_ = n_lanes;
    return HALO_SUCCESS;
}

halo_status Endpoint::check(const char *call, int32_t peer, int32_t lane, int32_t tag) const {
    if (peer >= 0 && peer < size() && by_rank_[static_cast<size_t>(peer)] != nullptr && lane >= 0 && lane < n_lanes_ && tag >= 0) [[likely]]
        return HALO_SUCCESS;
    const char *reach = peer != rank_ && peer >= 0 && peer < size() && !reaches(peer) ? ", which does not reach that one" : "";
    return report(host_, HALO_ERR_ARGUMENT, "%s: peer %d, lane %d, tag %d; this is rank %d of %d with %d lanes%s", call, peer, lane, tag, rank_,
                  size(), n_lanes_, reach);
}

// ---- sending

// So that no write to the ring can go wrong: a page that there is no memory for would end the process.
halo_status Endpoint::reserve(Peer &peer, size_t bytes) {
    if (peer.cells_reserved && (bytes <= small_bytes || peer.modest_reserved)) [[likely]]
        return HALO_SUCCESS;
    bool done = peer.cells_reserved || own_.reserve(peer.place, 0, cells_end);
    peer.cells_reserved = done;
    if (done && bytes > small_bytes && !peer.modest_reserved) done = peer.modest_reserved = own_.reserve(peer.place, cells_end, modest_end);
    if (done) return HALO_SUCCESS;
    return report(host_, HALO_ERR_MEMORY, "%zu bytes of shared memory for messages to rank %d: %s", modest_end, peer.rank, std::strerror(errno));
}

// The cell was stored before the bell is read, in the one order of all sequentially consistent accesses; its reader clears the bell before it looks
// for a cell. So one of the two sees what the other has done.
void Endpoint::ring_bell(Peer &peer) {
    if ((peer.bells->load(std::memory_order_seq_cst) & peer.bell) == 0) [[unlikely]]
        peer.bells->fetch_or(peer.bell, std::memory_order_seq_cst);
}

void Endpoint::make_busy(Peer &peer) {
    if (peer.is_busy) return;
    peer.is_busy = true;
    link_before(busy_, peer);
}

halo_status Endpoint::send(int32_t rank, int32_t lane, int32_t tag, const void *data, size_t bytes, Request &request) {
    if (halo_status status = check("send", rank, lane, tag); status != HALO_SUCCESS) return status;
    Peer &peer = peer_of(rank);
    if (peer.over == Peer::Over::died) [[unlikely]]
        return lost(peer);
    if (halo_status status = reserve(peer, bytes); status != HALO_SUCCESS) return status;
    request.key = make_key(peer.place, lane, tag);
    request.data = static_cast<unsigned char *>(const_cast<void *>(data)); // only read
    request.size = bytes;
    request.state = State::queued;
    if (is_empty(peer.outbox) && push(peer, request)) return HALO_SUCCESS;
    link_before(peer.outbox, request);
    make_busy(peer);
    return HALO_SUCCESS;
}

// Is there a cell to be written? Where the reader is far behind, in another area, as far as there is memory for that.
bool Endpoint::has_cell(Peer &peer) {
    if (peer.out.has_cell()) [[likely]]
        return true;
    const int area = peer.out.next_area();
    if (area == n_areas || peer.lacks_area || !own_.reserve(peer.place, area_begin(area), area_end(area))) {
        peer.lacks_area = true;
        return false;
    }
    peer.out.go_on();
    return true;
}

// Writes what the request has to say; false: not all of it yet. In the order of the outbox.
bool Endpoint::push(Peer &peer, Request &request) {
    if (!has_cell(peer)) return false;
    if (request.state == State::accepting && peer.find_given_up(&request) != nullptr) return false; // once what comes for that one has come
    Cell &cell = peer.out.cell();
    if (request.state == State::accepting) {
        bool fits = request.bytes <= request.size;
        cell.word[0] = reinterpret_cast<uintptr_t>(request.other);
        cell.word[1] = fits ? reinterpret_cast<uintptr_t>(&request) : 0;
        peer.out.publish(Kind::accept);
        request.got = 0;
        request.status = fits ? HALO_SUCCESS : HALO_ERR_WIRE;
        request.state = fits ? State::receiving : State::finished;
    } else if (request.size <= small_bytes) {
        cell.word[0] = request.key; // the lower 48 bits, lane and tag, are of use to the reader
        if (request.size != 0) std::memcpy(&cell.word[1], request.data, request.size);
        peer.out.publish(Kind::small, request.size);
        request.state = State::finished;
    } else if (goes_unasked(peer, request)) {
        return push_unasked(peer, request);
    } else {
        cell.word[0] = request.key;
        cell.word[1] = request.size;
        cell.word[2] = reinterpret_cast<uintptr_t>(&request);
        cell.word[3] = copy_ == Copy::twice ? 0 : reinterpret_cast<uintptr_t>(request.data);
        peer.out.publish(Kind::offer);
        request.state = State::offered;
    }
    ring_bell(peer);
    return true;
}

// One that has begun so does. Where there is no room now, who can read it here does not wait for that.
bool Endpoint::goes_unasked(Peer &peer, Request &request) {
    return request.size <= peer.unasked && (!peer.reads_here || request.sent() > 0 || peer.out.has_room(request.size));
}

bool Endpoint::push_unasked(Peer &peer, Request &request) {
    while (request.sent() < request.size) {
        uint64_t place = 0;
        size_t n = has_cell(peer) ? peer.out.put(request.data + request.sent(), request.size - request.sent(), place) : 0;
        if (n == 0) return false;
        Cell &cell = peer.out.cell();
        bool is_first = request.sent() == 0;
        if (is_first) {
            cell.word[0] = request.key;
            cell.word[1] = request.size;
        }
        cell.word[2] = place;
        peer.out.publish(is_first ? Kind::first : Kind::more);
        ring_bell(peer);
        request.sent() += n;
    }
    request.state = State::finished;
    return true;
}

// Pieces go faster through all of the byte ring; where there is no memory for that they go through a part of it.
void Endpoint::grow(Peer &peer) {
    if (!peer.rest_asked_for) {
        peer.rest_asked_for = true;
        peer.has_rest = own_.reserve(peer.place, modest_end, bulk_end);
    }
    if (peer.has_rest) peer.out.grow();
}

bool Endpoint::push_piece(Peer &peer, Request &request) {
    uint64_t place = 0;
    grow(peer);
    size_t n = peer.out.has_cell() ? peer.out.put(request.data + request.sent(), request.size - request.sent(), place) : 0;
    if (n == 0) return false;
    Cell &cell = peer.out.cell();
    cell.word[0] = reinterpret_cast<uintptr_t>(request.other);
    cell.word[2] = place;
    peer.out.publish(Kind::piece);
    ring_bell(peer);
    request.sent() += n;
    return true;
}

// To the sender of an offer: nothing more of it is wanted. There is a cell.
void Endpoint::say_done(Peer &peer, void *offered) {
    Cell &cell = peer.out.cell();
    cell.word[0] = reinterpret_cast<uintptr_t>(offered);
    cell.word[1] = 0;
    peer.out.publish(Kind::accept);
    ring_bell(peer);
}

bool Endpoint::push_refusals(Peer &peer) {
    while (!peer.refused.empty()) {
        if (!has_cell(peer)) return false;
        say_done(peer, peer.refused.back());
        peer.refused.pop_back();
    }
    return true;
}

// As far as the ring takes it, and no longer than a ring of pieces, as its reader makes room all the time. What comes first in the outbox goes first;
// large messages take turns.
void Endpoint::flush(Peer &peer) {
    if (!is_empty(peer.readings)) read_next(peer);
    if (!push_refusals(peer)) return;
    while (!is_empty(peer.outbox)) {
        auto &request = static_cast<Request &>(*peer.outbox.next);
        if (!push(peer, request)) return;
        unlink(request);
    }
    for (size_t left = bulk_bytes / piece_bytes; left > 0 && !is_empty(peer.streams); --left) {
        auto &request = static_cast<Request &>(*peer.streams.next);
        if (!push_piece(peer, request)) return;
        unlink(request);
        if (request.sent() < request.size)
            link_before(peer.streams, request);
        else
            request.state = State::finished;
    }
}

// ---- completion

void Endpoint::progress() {
    for (size_t i = 0; i < n_bell_words_; ++i) {
        uint64_t set = own_.bells(static_cast<int32_t>(64 * i)).load(std::memory_order_acquire);
        for (; set != 0; set &= set - 1) {
            Peer *peer = peers_[64 * i + static_cast<size_t>(__builtin_ctzll(set))].get();
            if (peer == nullptr) continue; // out of reach: it has mapped this rank, not this rank it
            peer->heard = true;
            if (poll(*peer) == 0) rest(*peer);
        }
    }
    for (Link *link = busy_.next; link != &busy_;) {
        auto &peer = static_cast<Peer &>(*link);
        link = link->next;
        if (peer.over == Peer::Over::no) flush(peer);
        if (peer.over == Peer::Over::no && !peer.is_idle()) continue;
        unlink(peer);
        peer.is_busy = false;
    }
}

halo_status Endpoint::test(Request &request, bool &done) {
    if (request.state != State::finished) {
        Peer &peer = peer_of(request.key);
        if (peer.heard && !request.is_send()) poll(peer);
        if (request.state != State::finished) progress();
        if (request.state != State::finished && is_over(peer, ++n_waits_ % 64 == 0) && request.state != State::finished) end(peer, request);
    }
    done = request.state == State::finished;
    return request.status == HALO_SUCCESS ? HALO_SUCCESS : failure(request);
}

// A message that is on its way in is waited for, as others may follow from it; if its sender does not go on, the rest of it is dropped when it comes.
halo_status Endpoint::cancel(Request &request, bool &done) {
    done = request.state == State::finished;
    if (!done && request.is_send()) return report(host_, HALO_ERR_ARGUMENT, "cancel of a send to rank %d", peer_of(request.key).rank);
    if (request.state == State::posted) {
        posted_.remove(request);
        request.state = State::finished;
        return HALO_SUCCESS;
    }
    int64_t end = clock_now() + patience;
    halo_status status = request.status == HALO_SUCCESS ? HALO_SUCCESS : failure(request);
    while (!done && clock_now() < end) {
        status = test(request, done);
        if (!done) sched_yield();
    }
    if (done) return status;
    Peer &peer = peer_of(request.key);
    detach(peer, request);
    if (!peer.refused.empty()) make_busy(peer);
    return report(host_, HALO_ERR_TRANSPORT, "a message of %zu bytes from rank %d (lane %d, tag %d) cannot be given up: it has begun to come in",
                  request.bytes, peer.rank, lane_of(request.key), tag_of(request.key));
}

// Nothing leads to a receive any more.
void Endpoint::detach(Peer &peer, Request &request) {
    if (request.state == State::filling && peer.filling == &request) peer.filling = nullptr;
    if (request.state == State::receiving) peer.given_up.push_back({ &request, request.bytes - request.got });
    if (request.state == State::accepting || request.state == State::reading) {
        peer.refused.push_back(request.other);
        unlink(request);
    }
    request.state = State::finished;
}

halo_status Endpoint::lost(const Peer &peer) const {
    return report(host_, HALO_ERR_TRANSPORT, "rank %d, process %lld, has ended", peer.rank, static_cast<long long>(peer.process.number));
}

halo_status Endpoint::failure(const Request &request) const {
    const Peer &peer = peer_of(request.key);
    if (request.status != HALO_ERR_WIRE && peer.over == Peer::Over::died) return lost(peer);
    if (request.status != HALO_ERR_WIRE)
        return report(host_, request.status, "rank %d closed before its message of %zu bytes (lane %d, tag %d) had come", peer.rank, request.bytes,
                      lane_of(request.key), tag_of(request.key));
    return report(host_, request.status, "a message of %zu bytes from rank %d (lane %d, tag %d) came for a receive of %zu bytes", request.bytes,
                  peer.rank, lane_of(request.key), tag_of(request.key), request.size);
}

// ---- ends

// Has it closed, or ended? Then all that it has sent has been read on return.
bool Endpoint::is_over(Peer &peer, bool ask_system) {
    if (peer.over != Peer::Over::no) return true;
    bool closed = peer.segment.closed().load(std::memory_order_acquire) != 0;
    bool died = false;
    if (!closed && ask_system) {
        int64_t now = clock_now();
        if (now - peer.looked_at > look_every) {
            peer.looked_at = now;
            died = has_ended(peer.process);
            if (died) closed = peer.segment.closed().load(std::memory_order_acquire) != 0; // it may have, in between
        }
    }
    if (!closed && !died) return false;
    while (poll(peer) > 0) {}
    peer.over = closed ? Peer::Over::closed : Peer::Over::died;
    if (!closed && dead_ == nullptr) dead_ = &peer;
    return true;
}

// One more peer is asked in each call.
const Peer *Endpoint::find_dead() {
    if (dead_ != nullptr) return dead_;
    asked_ = (asked_ + 1) % peers_.size();
    if (Peer *peer = peers_[asked_].get()) is_over(*peer, true);
    return dead_;
}

// A request whose peer is over. Nobody reads what is sent to one that has closed; what it might have sent has not come, and is waited for.
void Endpoint::end(Peer &peer, Request &request) {
    bool died = peer.over == Peer::Over::died;
    if (!died && request.state == State::posted) return;
    if (request.state == State::posted) posted_.remove(request);
    if (request.is_linked()) unlink(request);
    if (peer.filling == &request) peer.filling = nullptr;
    if (died || !request.is_send()) request.status = HALO_ERR_TRANSPORT;
    request.state = State::finished;
}

} // namespace halo::shm
