// SPDX-License-Identifier: BSD-3-Clause
#include "endpoint.h"

#include <cstring>
#include <new>
#include <thread>

#include "report.h"

namespace halo::inproc {

using transport::report;

namespace {

constexpr int32_t max_lanes = 1 << 16;
constexpr int max_burst = 64; // messages taken from one pipe before looking elsewhere

void copy_bytes(void *to, const void *from, size_t bytes) {
    if (bytes != 0) std::memcpy(to, from, bytes);
}

// Makes the message this thread's to read; false: its sender has withdrawn it. `pop` has handed it over already: the exchange of states decides only
// who of the two has it, and what fails may be relaxed.
bool claim(Node &message) {
    NodeState state = message.state.load(std::memory_order_relaxed);
    if (state == NodeState::eager) return true;
    state = NodeState::offered;
    return message.state.compare_exchange_strong(state, NodeState::taken, std::memory_order_acquire, std::memory_order_relaxed);
}

} // namespace

Endpoint::Endpoint(const halo_host *host, halo_inproc_group *group, int32_t rank) : host_(host), group_(group), rank_(rank) {
    make_ring(offers_);
    auto n = static_cast<size_t>(group != nullptr ? group->size() : 1);
    outbound_.resize(n);
    inbound_.resize(n);
    inbound_list_.reserve(n);
    round_ = group != nullptr ? group->join(rank) : std::make_shared<Round>(1);
}

Endpoint::~Endpoint() {
    withdraw_offers();
    round_->set_closed(rank_);
    round_.reset();
    if (group_ != nullptr) group_->leave();
}

halo_status Endpoint::open_lanes(int32_t n_lanes) {
    if (n_lanes > max_lanes) return report(host_, HALO_ERR_LIMIT, "%d lanes asked for, at most %d can be had", n_lanes, max_lanes);
    if (n_lanes > n_lanes_) n_lanes_ = n_lanes;
    return HALO_SUCCESS;
}

halo_status Endpoint::check(const char *call, int32_t peer, int32_t lane, int32_t tag) const {
    if (peer >= 0 && peer < size() && peer != rank_ && lane >= 0 && lane < n_lanes_ && tag >= 0) [[likely]]
        return HALO_SUCCESS;
    return report(host_, HALO_ERR_ARGUMENT, "%s: peer %d, lane %d, tag %d; this is rank %d of %d with %d lanes", call, peer, lane, tag, rank_, size(),
                  n_lanes_);
}

// ---- sending

Pipe &Endpoint::outbound(int32_t peer) {
    Pipe *&pipe = outbound_[static_cast<size_t>(peer)];
    if (pipe == nullptr) [[unlikely]]
        pipe = &round_->add_pipe(rank_, peer);
    return *pipe;
}

halo_status Endpoint::send(int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, Request &request) {
    if (halo_status status = check("send", peer, lane, tag); status != HALO_SUCCESS) return status;
    request.key = make_key(peer, lane, tag);
    if (round_->closed(peer)) return HALO_SUCCESS; // nobody will read it
    Pipe &pipe = outbound(peer);
    Node &node = pipe.begin();
    node.key = make_key(rank_, lane, tag);
    node.bytes = bytes;
    if (bytes <= eager_bytes) {
        copy_bytes(node.payload, data, bytes);
        pipe.publish(NodeState::eager);
        return HALO_SUCCESS;
    }
    auto *offer = new (&node.offer) Offer;
    offer->source = data;
    offer->node = &node;
    link_before(offers_, *offer);
    request.node = &node;
    request.state = Request::State::sending;
    pipe.publish(NodeState::offered);
    return HALO_SUCCESS;
}

// Finishes the request if its message was read, or never will be.
void Endpoint::check_offer(Request &request) {
    Node &node = *request.node;
    int32_t peer = peer_of(request.key);
    if (node.state.load(std::memory_order_acquire) == NodeState::copied) { // after `deliver`: the buffer has been read
        unlink(node.offer);
        outbound(peer).reuse(node);
    } else if (round_->closed(peer)) {
        unlink(node.offer); // the node stays in the pipe, which nobody reads any more
    } else {
        return;
    }
    request.state = Request::State::finished;
}

void Endpoint::withdraw_offers() {
    for (Link *link = offers_.next; link != &offers_;) {
        Node &node = *static_cast<Offer *>(link)->node;
        link = link->next;
        NodeState state = NodeState::offered;
        if (node.state.compare_exchange_strong(state, NodeState::withdrawn, std::memory_order_acq_rel)) continue; // nobody reads it from here on
        while (node.state.load(std::memory_order_acquire) == NodeState::taken) std::this_thread::yield(); // a copy's time, until it has been read
    }
}

// ---- receiving

void Endpoint::meet_new_pipes() {
    Pipe *head = round_->pipes_to(rank_);
    for (Pipe *pipe = head; pipe != last_met_; pipe = pipe->next_of_receiver) {
        inbound_[static_cast<size_t>(pipe->source)] = pipe;
        inbound_list_.push_back(pipe);
    }
    last_met_ = head;
}

void Endpoint::poll(Pipe &pipe) {
    for (int i = 0; i < max_burst; ++i) {
        Node *message = pipe.pop();
        if (message == nullptr) return;
        arrive(*message);
    }
}

void Endpoint::arrive(Node &message) {
    Keyed *posted = posted_.find(message.key);
    if (posted == nullptr) {
        unexpected_.push(message);
    } else if (claim(message)) {
        posted_.remove(*posted);
        deliver(message, static_cast<Request &>(*posted));
    }
}

// Ends a receive with a claimed message and gives the node back.
void Endpoint::deliver(Node &message, Request &request) {
    bool fits = message.bytes <= request.capacity;
    request.bytes = message.bytes;
    request.status = fits ? HALO_SUCCESS : HALO_ERR_WIRE;
    request.state = Request::State::finished;
    if (message.state.load(std::memory_order_relaxed) == NodeState::eager) { // claimed: nobody changes it
        if (fits) copy_bytes(request.data, message.payload, message.bytes);
        inbound_[static_cast<size_t>(peer_of(message.key))]->give_back(message);
    } else {
        if (fits) copy_bytes(request.data, message.offer.source, message.bytes);
        message.state.store(NodeState::copied, std::memory_order_release); // that the buffer has been read, to its sender
    }
}

// Takes the oldest unexpected message out that has not been withdrawn.
Node *Endpoint::next_unexpected(Key key) {
    while (Keyed *found = unexpected_.find(key)) {
        auto *message = static_cast<Node *>(found);
        unexpected_.remove(*message);
        if (message->state.load(std::memory_order_relaxed) != NodeState::withdrawn) return message; // a guess: `claim` decides
    }
    return nullptr;
}

halo_status Endpoint::receive(int32_t peer, int32_t lane, int32_t tag, Request &request) {
    if (halo_status status = check("receive", peer, lane, tag); status != HALO_SUCCESS) return status;
    request.key = make_key(peer, lane, tag);
    while (Node *message = next_unexpected(request.key)) {
        if (!claim(*message)) continue;
        deliver(*message, request);
        return HALO_SUCCESS;
    }
    posted_.push(request);
    request.state = Request::State::receiving;
    return HALO_SUCCESS;
}

// The ranks are few, so those of one process are asked in turn, from the one above this on.
halo_status Endpoint::probe_any(int32_t lane, int32_t tag, Node *&message) {
    message = nullptr;
    for (int32_t distance = 1; distance < size() && message == nullptr; ++distance)
        if (halo_status status = probe((rank_ + distance) % size(), lane, tag, message); status != HALO_SUCCESS) return status;
    return HALO_SUCCESS;
}

halo_status Endpoint::probe(int32_t peer, int32_t lane, int32_t tag, Node *&message) {
    if (peer == -1) return probe_any(lane, tag, message);
    if (halo_status status = check("probe", peer, lane, tag); status != HALO_SUCCESS) return status;
    Key key = make_key(peer, lane, tag);
    message = next_unexpected(key);
    if (message != nullptr) return HALO_SUCCESS;
    progress();
    message = next_unexpected(key);
    return HALO_SUCCESS;
}

halo_status Endpoint::receive_matched(Node &message, Request &request) {
    request.key = message.key;
    if (!claim(message)) {
        return report(host_, HALO_ERR_TRANSPORT, "rank %d closed before its message of %zu bytes (lane %d, tag %d) was received",
                      peer_of(message.key), message.bytes, lane_of(message.key), tag_of(message.key));
    }
    deliver(message, request);
    return HALO_SUCCESS;
}

// ---- completion

halo_status Endpoint::failure(const Request &request) const {
    return report(host_, request.status, "a message of %zu bytes from rank %d (lane %d, tag %d) came for a receive of %zu bytes", request.bytes,
                  peer_of(request.key), lane_of(request.key), tag_of(request.key), request.capacity);
}

halo_status Endpoint::test(Request &request, bool &done) {
    using State = Request::State;
    if (request.state == State::receiving) {
        if (Pipe *pipe = inbound_[static_cast<size_t>(peer_of(request.key))]) poll(*pipe);
        if (request.state == State::receiving) progress();
    } else if (request.state == State::sending) {
        progress(); // the peer may be waiting for us before it can read
        check_offer(request);
    }
    done = request.state == State::finished;
    return request.status == HALO_SUCCESS ? HALO_SUCCESS : failure(request);
}

halo_status Endpoint::cancel(Request &request, bool &done) {
    done = request.state == Request::State::finished;
    if (done) return request.status == HALO_SUCCESS ? HALO_SUCCESS : failure(request);
    if (request.state == Request::State::sending) return report(host_, HALO_ERR_ARGUMENT, "cancel of a send to rank %d", peer_of(request.key));
    posted_.remove(request);
    request.state = Request::State::finished;
    return HALO_SUCCESS;
}

void Endpoint::progress() {
    meet_new_pipes();
    for (Pipe *pipe : inbound_list_) poll(*pipe);
}

} // namespace halo::inproc
