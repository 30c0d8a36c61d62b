// SPDX-License-Identifier: BSD-3-Clause
// One rank: a worker of UCX, and endpoints to the ranks that it has sent to.
#pragma once

#include <ucp/api/ucp.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

#include "addresses.h"
#include "halo_plugin.h"
#include "wire.h"
#include "worker.h"

namespace halo::ucx {

// Lives in the core's halo_request. UCX is never given its place, so a worker that has to be kept does not need it.
struct Request {
    enum class Kind : int32_t { none, send, receive, matched };
    Request *previous = nullptr; // those with a `handle` are in their endpoint's ring
    Request *next = nullptr;
    void *handle = nullptr; // UCX's request; null: complete
    size_t capacity = 0;
    size_t bytes = 0; // of a complete one
    Address address{};
    Kind kind = Kind::none;
    ucs_status_t status = UCS_OK; // of a complete one
};
static_assert(sizeof(Request) <= sizeof(halo_request) && alignof(Request) <= alignof(halo_request));

// Lives in the core's halo_matched.
struct Matched {
    ucp_tag_message_h message = nullptr;
    Address address{};
};
static_assert(sizeof(Matched) <= sizeof(halo_matched) && alignof(Matched) <= alignof(halo_matched));

class Endpoint {
public:
    Endpoint(const halo_host *host, int32_t rank, int32_t size, std::unique_ptr<Worker> worker, Addresses addresses);
    // Gives up what is in flight; waits a bounded time for what was sent to get away.
    ~Endpoint();
    Endpoint(const Endpoint &) = delete;
    Endpoint &operator=(const Endpoint &) = delete;

    const halo_host *host() const { return host_; }
    int32_t rank() const { return rank_; }
    int32_t size() const { return static_cast<int32_t>(peers_.size()); }

    halo_status open_lanes(int32_t n_lanes);
    halo_status send(Address to, const void *data, size_t bytes, Request &request);
    halo_status receive(Address from, void *data, size_t capacity, Request &request);
    halo_status test(Request &request, bool &done, size_t &bytes);
    // HALO_ERR_TRANSPORT: UCX is in the middle of the message and does not let go; the buffer must stay for as long as the process lives.
    halo_status cancel(Request &request, bool &done);
    halo_status probe(Address from, bool &found, size_t &bytes, Matched &matched);
    halo_status receive_matched(Matched &matched, void *data, size_t capacity, Request &request);
    void progress() { worker_->progress(); }
    const Worker &worker() const { return *worker_; }

private:
    using Clock = std::chrono::steady_clock;

    struct Peer {
        ucp_ep_h endpoint = nullptr; // null: not spoken to yet
        ucs_status_t failure = UCS_OK;
        Clock::time_point failed_at{};
    };

    static void note_failure(void *self, ucp_ep_h endpoint, ucs_status_t status);
    Peer &peer(int32_t rank) { return peers_[static_cast<size_t>(rank)]; }
    halo_status check(const char *call, Address address) const;
    halo_status check_probe(Address from) const;
    halo_status connect(Address to);
    halo_status lost(Address address, ucs_status_t why) const;
    void began(Request &request, Request::Kind kind, Address address, size_t capacity, ucs_status_ptr_t answer);
    void unlink(Request &request);
    bool poll(Request &request);
    bool poll_for_a_while(Request &request);
    halo_status end(Request &request, size_t &bytes);
    halo_status end_if_lost(Request &request, bool &done);
    void give_up();
    void drop_unreceived();
    bool sends_end();
    bool flush();
    bool part();

    const halo_host *host_;
    int32_t rank_;
    int32_t n_lanes_ = 1;
    int32_t n_lost_ = 0; // peers that have failed
    std::unique_ptr<Worker> worker_;
    ucp_request_param_t for_send_;
    ucp_request_param_t for_receive_; // one that is complete at once would not tell its size
    Addresses addresses_;
    std::vector<Peer> peers_;
    Request in_flight_;  // anchor of the ring
    bool stuck_ = false; // something was given up that UCX does not let go of
};

} // namespace halo::ucx
