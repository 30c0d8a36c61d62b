// SPDX-License-Identifier: BSD-3-Clause
// One rank among those of its host. Used by one thread at a time; other ranks reach it through rings, read messages in its program's memory, and
// write nothing there.
//
// A message goes into the ring to its receiver: small ones in a cell, middle ones in pieces. Large ones are offered: a receiver that has a place for
// one reads it where it lies, if the system permits that, else it asks for it in pieces. What a full ring does not take waits in its peer's outbox,
// so that nobody waits for anybody.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "halo_plugin.h"
#include "process.h"
#include "segment.h"
#include "store.h"

namespace halo::shm {

// Larger messages wait at their sender until they are received: what is not expected is stored.
inline constexpr size_t unasked_bytes = 64 << 10;
// Where the receiver can read them at their sender: beyond this, once is much faster between far cores, and little slower between near ones.
inline constexpr size_t unasked_if_readable = 16 << 10;
// Of a message that is read: others take turns with it.
inline constexpr size_t chunk_bytes = 1 << 20;

enum class Copy : uint8_t { automatic, once, twice }; // the setting shm.copy

// Lives in the core's halo_request.
struct Request : Keyed { // linked where its state says
    enum class State : uint8_t {
        finished,
        // receives
        posted,    // in the table
        filling,   // its message comes in pieces, unasked
        reading,   // it has met an offer, and its message is read where it lies; in the list of readings
        accepting, // in the outbox: it has met an offer
        receiving, // its message comes in pieces that name it
        // sends
        queued,  // in the outbox
        offered, // until the receiver accepts
        sending, // in the list of streams
    };
    State state = State::finished;
    halo_status status : 16;
    uint32_t n_chunks = 0; // reading: of the message, here
    unsigned char *data = nullptr;
    union {
        size_t size;               // of the buffer
        const unsigned char *from; // reading: the message, at its sender
    };
    size_t bytes = 0; // receives: of the message
    union {
        void *other; // the peer's request, in its memory
        size_t got;  // receives: of the message, here
    };
    Request() : status(HALO_SUCCESS), size(0), other(nullptr) {}
    bool is_send() const { return state >= State::queued; }
    bool is_linked() const { // in a list of its peer
        return state == State::queued || state == State::accepting || state == State::reading || state == State::sending;
    }
    bool has_all() const { return n_chunks * chunk_bytes >= bytes; }
    size_t &sent() { return bytes; }
};
static_assert(sizeof(Request) <= sizeof(halo_request) && alignof(Request) <= alignof(halo_request));

struct Peer : Link { // linked while it has an outbox, streams or readings
    int32_t rank = -1;
    int32_t place = -1; // among the ranks of the host
    Process process;
    Segment segment;

    // sending
    RingWriter out;
    bool cells_reserved = false;
    bool modest_reserved = false;
    bool rest_asked_for = false;
    bool has_rest = false;
    bool lacks_area = false;        // there is no other one, or no memory for it
    size_t unasked = unasked_bytes; // larger messages to it are offered
    bool reads_here = false;        // it can read messages where they lie
    bool is_busy = false;           // linked
    std::atomic<uint64_t> *bells = nullptr;
    uint64_t bell = 0;
    Link outbox;
    Link streams;

    // receiving
    RingReader in;
    bool is_readable = false; // its messages can be read where they lie
    Link readings;
    bool heard = false;                                             // it has sent something
    uint32_t idle = 0;                                              // turns in which nothing came, though its bell is set
    size_t left = 0;                                                // of a message that comes unasked, still to come,
    Request *filling = nullptr;                                     // into this receive,
    Stored *storing = nullptr;                                      // or into store; neither: it is lost
    enum class Over : uint8_t { no, closed, died } over = Over::no; // and all that came before has been read
    int64_t looked_at = 0;                                          // when it was last asked whether the process lives, nanoseconds

    // Of receives that were given up in the middle of their messages, whose requests are gone.
    struct GivenUp {
        const void *request; // as the peer knows it
        size_t left;         // bytes that still come
    };
    std::vector<GivenUp> given_up;
    std::vector<void *> refused; // offers that are to be told so
    bool is_idle() const { return outbox.next == &outbox && streams.next == &streams && readings.next == &readings && refused.empty(); }
    GivenUp *find_given_up(const void *request) {
        auto found = std::find_if(given_up.begin(), given_up.end(), [&](const GivenUp &one) { return one.request == request; });
        return found == given_up.end() ? nullptr : &*found;
    }
};

class Endpoint {
public:
    // `readable_only`: it is to reach those alone that can read its messages where they lie, and whose it can.
    Endpoint(const halo_host *host, int32_t rank, int32_t size, Copy copy, bool readable_only)
        : host_(host),
          rank_(rank),
          copy_(copy),
          readable_only_(readable_only),
          by_rank_(static_cast<size_t>(size)) {
        transport::make_ring(busy_);
    }
    // What is in flight is given up.
    ~Endpoint();
    Endpoint(const Endpoint &) = delete;
    Endpoint &operator=(const Endpoint &) = delete;

    // ---- opening, in this order; `trouble` says what fails

    // `places`: the ranks of this host, in order.
    bool make_segment(const std::vector<int32_t> &places, Trouble &trouble);
    const Segment &segment() const { return own_; }
    // Maps the memory of the rank of that place if it can be; tells it so.
    void meet(int32_t place, const SegmentAddress &address, uint64_t started);
    // All ranks have met: those that have mapped each other reach each other.
    void settle();

    const halo_host *host() const { return host_; }
    int32_t rank() const { return rank_; }
    int32_t size() const { return static_cast<int32_t>(by_rank_.size()); }
    bool reaches(int32_t peer) const { return peer >= 0 && peer < size() && (peer == rank_ || by_rank_[static_cast<size_t>(peer)] != nullptr); }

    // Unless messages are read where they lie: what their sender hands over in pieces, or keeps until there is room.
    bool sends_by_calls(int32_t peer) const;

    halo_status open_lanes(int32_t n_lanes);
    halo_status send(int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, Request &request);
    halo_status receive(int32_t peer, int32_t lane, int32_t tag, Request &request);
    halo_status test(Request &request, bool &done);
    halo_status cancel(Request &request, bool &done);
    // The message found, or nullptr. `peer` -1: from any.
    halo_status probe(int32_t peer, int32_t lane, int32_t tag, Stored *&message);
    halo_status receive_matched(Stored &message, Request &request);
    void progress();

private:
    halo_status check(const char *call, int32_t peer, int32_t lane, int32_t tag) const;
    bool is_readable(const Peer &peer) const;
    halo_status failure(const Request &request) const;
    halo_status lost(const Peer &peer) const;
    Peer &peer_of(int32_t rank) const { return *by_rank_[static_cast<size_t>(rank)]; }
    Peer &peer_of(Key key) const { return *peers_[static_cast<size_t>(transport::peer_of(key))]; }

    // sending
    halo_status reserve(Peer &peer, size_t bytes);
    void ring_bell(Peer &peer);
    void make_busy(Peer &peer);
    void flush(Peer &peer);
    bool push_refusals(Peer &peer);
    bool has_cell(Peer &peer);
    bool push(Peer &peer, Request &request);
    static bool goes_unasked(Peer &peer, Request &request);
    bool push_unasked(Peer &peer, Request &request);
    bool push_piece(Peer &peer, Request &request);
    void say_done(Peer &peer, void *offered);
    void grow(Peer &peer);

    // receiving (inbound.cpp)
    int poll(Peer &peer);
    void rest(Peer &peer);
    void arrive(Peer &peer, const Cell &cell, uint64_t stamp);
    void arrive_small(Peer &peer, const Cell &cell, size_t bytes);
    void arrive_first(Peer &peer, const Cell &cell);
    void arrive_more(Peer &peer, const Cell &cell);
    void arrive_offer(Peer &peer, const Cell &cell);
    void arrive_accept(Peer &peer, const Cell &cell);
    void arrive_piece(Peer &peer, const Cell &cell);
    Request *take_posted(Key key);
    Stored &store(Key key, size_t bytes, size_t room);
    void forget(Stored &message);
    Stored *next_unexpected(Key key);
    Stored *next_from_any(int32_t lane, int32_t tag);
    Stored *usable(Stored &message);
    void take(Stored &message, Request &request);
    void accept(Peer &peer, Request &request, size_t bytes, const Offer &offer);
    void ask_for(Peer &peer, Request &request);
    bool read_chunk(Peer &peer, Request &request);
    bool read_on(Peer &peer, Request &request);
    void read_next(Peer &peer);

    // ends
    bool is_over(Peer &peer, bool ask_system);
    const Peer *find_dead();
    void end(Peer &peer, Request &request);
    static void detach(Peer &peer, Request &request);

    const halo_host *host_;
    int32_t rank_;
    Copy copy_;
    bool readable_only_;
    int32_t place_ = 0;
    int32_t n_lanes_ = 1;
    uint32_t n_waits_ = 0; // turns in vain
    uint32_t n_waits_for_any_ = 0;
    size_t asked_ = 0;           // place of the peer that was asked last whether it lives,
    const Peer *dead_ = nullptr; // and the first that did not
    size_t n_bell_words_ = 0;
    Segment own_;
    std::vector<std::unique_ptr<Peer>> peers_; // by place; null: this one, or out of reach
    std::vector<Peer *> by_rank_;
    Link busy_;
    MatchTable posted_;
    MatchTable unexpected_;
    MatchTable unexpected_from_any_;
    Store store_;
};

} // namespace halo::shm
