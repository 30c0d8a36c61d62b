// SPDX-License-Identifier: BSD-3-Clause
#include "endpoint.h"

#include <algorithm>
#include <utility>

#include "library.h"
#include "report.h"

namespace halo::ucx {

using transport::report;

namespace {

using std::chrono::seconds;

constexpr seconds patience_cancel{ 1 };                   // for a message that is coming in while its receive is given up
constexpr seconds patience_close{ 2 };                    // for messages to get away
constexpr std::chrono::milliseconds patience_part{ 500 }; // for peers that close, too
constexpr seconds patience_lost{ 1 };                     // for messages of a rank that has gone to come in

constexpr uint64_t exactly = ~uint64_t{ 0 };
constexpr uint64_t from_any = ~source_mask;

ucp_request_param_t params(ucs_memory_type_t type, uint32_t flags) {
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_MEMORY_TYPE | flags;
    param.memory_type = type;
    return param;
}

} // namespace

Endpoint::Endpoint(const halo_host *host, int32_t rank, int32_t size, std::unique_ptr<Worker> worker, Addresses addresses)
    : host_(host),
      rank_(rank),
      worker_(std::move(worker)),
      for_send_(params(worker_->memory_type(), 0)),
      for_receive_(params(worker_->memory_type(), UCP_OP_ATTR_FLAG_NO_IMM_CMPL)),
      addresses_(std::move(addresses)),
      peers_(static_cast<size_t>(size)) {
    in_flight_.previous = in_flight_.next = &in_flight_;
}

halo_status Endpoint::check(const char *call, Address address) const {
    if (address.peer >= 0 && address.peer < size() && address.peer != rank_ && address.lane >= 0 && address.lane < n_lanes_ && address.tag >= 0 &&
        address.tag <= max_tag) [[likely]]
        return HALO_SUCCESS;
    return report(host_, HALO_ERR_ARGUMENT, "%s: peer %d, lane %d, tag %d; this is rank %d of %d with %d lanes and tags up to %d", call, address.peer,
                  address.lane, address.tag, rank_, size(), n_lanes_, max_tag);
}

// -1: from any rank, where there are others.
halo_status Endpoint::check_probe(Address from) const {
    const bool any = from.peer == -1 && size() > 1;
    return check("probe", { any ? (rank_ + 1) % size() : from.peer, from.lane, from.tag });
}

halo_status Endpoint::open_lanes(int32_t n_lanes) {
    if (n_lanes > most_lanes) return report(host_, HALO_ERR_ARGUMENT, "ucx: %d lanes are wanted, it has at most %d", n_lanes, most_lanes);
    n_lanes_ = std::max(n_lanes_, n_lanes);
    return HALO_SUCCESS;
}

// ---- peers

void Endpoint::note_failure(void *self, ucp_ep_h endpoint, ucs_status_t status) {
    auto &own = *static_cast<Endpoint *>(self);
    const auto at = std::find_if(own.peers_.begin(), own.peers_.end(), [&](const Peer &one) { return one.endpoint == endpoint; });
    if (at == own.peers_.end() || at->failure != UCS_OK) return;
    at->failure = status;
    at->failed_at = Clock::now();
    ++own.n_lost_;
}

// Without UCP_ERR_HANDLING_MODE_PEER. With it, UCX 1.13 takes TCP to ranks of the same host (10 to 40 times the latency), or, told that its shared
// memory can handle errors, copies large messages twice; and its watch over processes takes those of another PID namespace for dead. Without, the
// death of a rank of the same host is not noticed: operations with it stay pending. Over a network the handler is called all the same.
halo_status Endpoint::connect(Address to) {
    Peer &one = peer(to.peer);
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE | UCP_EP_PARAM_FIELD_ERR_HANDLER;
    params.address = reinterpret_cast<const ucp_address_t *>(addresses_.of(to.peer));
    params.err_mode = UCP_ERR_HANDLING_MODE_NONE;
    params.err_handler.cb = note_failure;
    params.err_handler.arg = this;
    const ucs_status_t status = ucp.ep_create(worker_->handle(), &params, &one.endpoint);
    if (status == UCS_OK) return HALO_SUCCESS;
    one.endpoint = nullptr;
    return report(host_, HALO_ERR_TRANSPORT, "ucp_ep_create to rank %d: %s", to.peer, ucp.status_string(status));
}

halo_status Endpoint::lost(Address address, ucs_status_t why) const {
    return report(host_, HALO_ERR_TRANSPORT, "the connection to rank %d is lost (lane %d, tag %d): %s", address.peer, address.lane, address.tag,
                  ucp.status_string(why));
}

// ---- what is in flight

void Endpoint::began(Request &request, Request::Kind kind, Address address, size_t capacity, ucs_status_ptr_t answer) {
    request.kind = kind;
    request.address = address;
    request.capacity = capacity;
    if (!UCS_PTR_IS_PTR(answer)) { // complete
        request.status = UCS_PTR_STATUS(answer);
        return;
    }
    request.handle = answer;
    request.previous = in_flight_.previous;
    request.next = &in_flight_;
    request.previous->next = request.next->previous = &request;
}

void Endpoint::unlink(Request &request) {
    request.previous->next = request.next;
    request.next->previous = request.previous;
    request.handle = nullptr;
}

halo_status Endpoint::send(Address to, const void *data, size_t bytes, Request &request) {
    if (const halo_status status = check("send", to); status != HALO_SUCCESS) return status;
    Peer &one = peer(to.peer);
    if (one.failure != UCS_OK) [[unlikely]]
        return lost(to, one.failure);
    if (one.endpoint == nullptr) [[unlikely]] {
        if (const halo_status status = connect(to); status != HALO_SUCCESS) return status;
    }
    const ucs_status_ptr_t answer = ucp.tag_send_nbx(one.endpoint, data, bytes, match_bits(to.lane, to.tag, rank_), &for_send_);
    began(request, Request::Kind::send, to, bytes, answer);
    return HALO_SUCCESS;
}

halo_status Endpoint::receive(Address from, void *data, size_t capacity, Request &request) {
    if (const halo_status status = check("receive", from); status != HALO_SUCCESS) return status;
    const ucs_status_ptr_t answer =
        ucp.tag_recv_nbx(worker_->handle(), data, capacity, match_bits(from.lane, from.tag, from.peer), exactly, &for_receive_);
    began(request, Request::Kind::receive, from, capacity, answer);
    return HALO_SUCCESS;
}

// ---- completion

// True if it is complete.
bool Endpoint::poll(Request &request) {
    if (request.handle == nullptr) return true;
    if (request.kind == Request::Kind::send) {
        request.status = ucp.request_check_status(request.handle);
        if (request.status == UCS_INPROGRESS) return false;
    } else {
        ucp_tag_recv_info_t info{};
        request.status = ucp.tag_recv_request_test(request.handle, &info);
        if (request.status == UCS_INPROGRESS) return false;
        request.bytes = info.length;
    }
    ucp.request_free(request.handle);
    unlink(request);
    return true;
}

bool Endpoint::poll_for_a_while(Request &request) {
    const Clock::time_point end = Clock::now() + patience_cancel;
    while (!poll(request)) {
        if (Clock::now() > end) return false;
        worker_->progress();
    }
    return true;
}

// Of a complete request.
halo_status Endpoint::end(Request &request, size_t &bytes) {
    const bool sends = std::exchange(request.kind, Request::Kind::none) == Request::Kind::send;
    bytes = request.bytes;
    if (request.status == UCS_OK) [[likely]]
        return HALO_SUCCESS;
    bytes = !sends && request.status == UCS_ERR_MESSAGE_TRUNCATED && request.bytes > request.capacity ? request.bytes : 0;
    if (request.status == UCS_ERR_MESSAGE_TRUNCATED)
        return report(host_, HALO_ERR_WIRE,
                      "a longer message (%zu bytes, 0: unknown) than the receive of %zu bytes came from rank %d (lane %d, tag %d)", bytes,
                      request.capacity, request.address.peer, request.address.lane, request.address.tag);
    return report(host_, HALO_ERR_TRANSPORT, "%s rank %d (lane %d, tag %d), %zu bytes: %s", sends ? "send to" : "receive from", request.address.peer,
                  request.address.lane, request.address.tag, request.capacity, ucp.status_string(request.status));
}

halo_status Endpoint::test(Request &request, bool &done, size_t &bytes) {
    bytes = 0;
    done = true;
    if (request.kind == Request::Kind::none) return HALO_SUCCESS; // a test that failed has ended it
    if (poll(request)) return end(request, bytes);
    if (worker_->progress() != 0 && poll(request)) return end(request, bytes);
    done = false;
    return n_lost_ == 0 ? HALO_SUCCESS : end_if_lost(request, done);
}

// What is still on its way from a rank that has gone may come; then nothing will.
halo_status Endpoint::end_if_lost(Request &request, bool &done) {
    const Peer &one = peer(request.address.peer);
    if (one.failure == UCS_OK || request.kind != Request::Kind::receive || Clock::now() < one.failed_at + patience_lost) return HALO_SUCCESS;
    const Address address = request.address;
    bool complete = false;
    if (const halo_status status = cancel(request, complete); status != HALO_SUCCESS) return status;
    done = true;
    return lost(address, one.failure);
}

halo_status Endpoint::cancel(Request &request, bool &done) {
    done = request.kind == Request::Kind::none;
    if (done) return HALO_SUCCESS;
    if (request.kind == Request::Kind::send) return report(host_, HALO_ERR_ARGUMENT, "cancel of a send to rank %d", request.address.peer);
    // A message that was found must be received.
    if (!poll(request) && request.kind == Request::Kind::receive) ucp.request_cancel(worker_->handle(), request.handle);
    if (!poll_for_a_while(request)) {
        unlink(request);
        request.kind = Request::Kind::none;
        stuck_ = true;
        return report(host_, HALO_ERR_TRANSPORT, "UCX does not let go of a receive of %zu bytes: rank %d is sending to it (lane %d, tag %d)",
                      request.capacity, request.address.peer, request.address.lane, request.address.tag);
    }
    done = request.status != UCS_ERR_CANCELED;
    size_t bytes = 0;
    if (done) return end(request, bytes);
    request.kind = Request::Kind::none;
    return HALO_SUCCESS;
}

// ---- probing

halo_status Endpoint::probe(Address from, bool &found, size_t &bytes, Matched &matched) {
    found = false;
    if (const halo_status status = check_probe(from); status != HALO_SUCCESS) return status;
    const bool any = from.peer < 0;
    const uint64_t bits = match_bits(from.lane, from.tag, any ? 0 : from.peer);
    const auto look = [&](ucp_tag_recv_info_t &info) { return ucp.tag_probe_nb(worker_->handle(), bits, any ? from_any : exactly, 1, &info); };
    ucp_tag_recv_info_t info{};
    matched.message = look(info);
    if (matched.message == nullptr) {
        worker_->progress();
        matched.message = look(info);
    }
    if (matched.message == nullptr) return HALO_SUCCESS;
    found = true;
    bytes = info.length;
    matched.address = { source_of(info.sender_tag), from.lane, from.tag };
    return HALO_SUCCESS;
}

halo_status Endpoint::receive_matched(Matched &matched, void *data, size_t capacity, Request &request) {
    const ucs_status_ptr_t answer = ucp.tag_msg_recv_nbx(worker_->handle(), data, capacity, std::exchange(matched.message, nullptr), &for_receive_);
    began(request, Request::Kind::matched, matched.address, capacity, answer);
    return HALO_SUCCESS;
}

// ---- the end

// Receives are withdrawn. Of sends that nobody has taken UCX cannot let go.
void Endpoint::give_up() {
    for (Request *one = in_flight_.next; one != &in_flight_;) {
        Request &request = *std::exchange(one, one->next);
        bool done = false;
        if (request.kind != Request::Kind::send) cancel(request, done);
    }
}

// Messages that nobody will receive any more; of each UCX would print a line.
void Endpoint::drop_unreceived() {
    ucp_tag_recv_info_t info{};
    while (ucp_tag_message_h message = ucp.tag_probe_nb(worker_->handle(), 0, 0, 1, &info)) {
        const ucs_status_ptr_t answer = ucp.tag_msg_recv_nbx(worker_->handle(), nullptr, 0, message, &for_receive_);
        if (UCS_PTR_IS_PTR(answer)) ucp.request_free(answer);
    }
}

// A send that has not got away may be the answer that its peer waits for. False: one has not, in time.
bool Endpoint::sends_end() {
    const Clock::time_point end = Clock::now() + patience_close;
    for (Request *one = in_flight_.next; one != &in_flight_;) {
        Request &request = *std::exchange(one, one->next);
        while (!poll(request)) {
            if (Clock::now() > end) return false;
            worker_->progress();
        }
    }
    return true;
}

// What has been sent is on its way, be it a peer's memory or a socket. Not by the endpoints, which would first connect what no message has needed,
// and for that wait for their peers. False: it is not, in time.
bool Endpoint::flush() {
    const Clock::time_point end = Clock::now() + patience_close;
    const ucp_request_param_t plain{};
    const ucs_status_ptr_t answer = ucp.worker_flush_nbx(worker_->handle(), &plain);
    bool flushed = !UCS_PTR_IS_PTR(answer);
    while (worker_->progress() != 0 || !flushed) {
        if (!flushed) flushed = ucp.request_check_status(answer) != UCS_INPROGRESS;
        if (Clock::now() > end) break;
    }
    if (UCS_PTR_IS_PTR(answer)) ucp.request_free(answer);
    return flushed;
}

// Peers that close at the same time wait for each other's last message, for a moment. With a worker its sockets go, and with one of them UCX gives up
// all that has come from there and is not read yet. Those who have not spoken to a peer answer it. False: not all of this rank's messages have got
// away.
bool Endpoint::part() {
    std::vector<unsigned char> told(peers_.size()), heard(peers_.size());
    std::vector<void *> sending;
    const auto tell = [&](size_t rank) {
        Peer &one = peers_[rank];
        const int32_t number = static_cast<int32_t>(rank);
        if (told[rank] != 0 || one.failure != UCS_OK || (one.endpoint == nullptr && connect({ number, 0, 0 }) != HALO_SUCCESS)) return;
        told[rank] = 1;
        const ucs_status_ptr_t answer = ucp.tag_send_nbx(one.endpoint, nullptr, 0, match_bits(goodbye_lane, max_tag, rank_), &for_send_);
        if (UCS_PTR_IS_PTR(answer)) sending.push_back(answer);
    };
    const auto hear = [&] {
        ucp_tag_recv_info_t info{};
        while (ucp_tag_message_h message = ucp.tag_probe_nb(worker_->handle(), match_bits(goodbye_lane, max_tag, 0), from_any, 1, &info)) {
            const ucs_status_ptr_t answer = ucp.tag_msg_recv_nbx(worker_->handle(), nullptr, 0, message, &for_receive_);
            if (UCS_PTR_IS_PTR(answer)) ucp.request_free(answer);
            const auto rank = static_cast<size_t>(source_of(info.sender_tag));
            heard[rank] = 1;
            tell(rank);
        }
    };
    const auto waits_for_some = [&] {
        for (size_t rank = 0; rank < peers_.size(); ++rank)
            if (told[rank] != 0 && heard[rank] == 0 && peers_[rank].failure == UCS_OK) return true;
        return false;
    };
    for (size_t rank = 0; rank < peers_.size(); ++rank)
        if (peers_[rank].endpoint != nullptr) tell(rank);
    const Clock::time_point end = Clock::now() + patience_part;
    do {
        worker_->progress();
        hear();
        std::erase_if(sending, [](void *handle) {
            if (ucp.request_check_status(handle) == UCS_INPROGRESS) return false;
            ucp.request_free(handle);
            return true;
        });
    } while ((!sending.empty() || waits_for_some()) && Clock::now() < end);
    return sending.empty();
}

// Endpoints go with their worker, and the worker only if nothing uses it any more: a peer may answer a send of before.
Endpoint::~Endpoint() {
    give_up();
    if (sends_end() && part() && !stuck_) {
        drop_unreceived();
        const bool flushed = flush();
        drop_unreceived(); // the last messages of peers that this rank has not spoken to
        if (flushed) return;
    }
    worker_->keep();
    if (host_->log != nullptr) host_->log(host_->core, 1, "ucx transport closed with messages in flight: its worker is kept until the process ends");
}

} // namespace halo::ucx
