// SPDX-License-Identifier: BSD-3-Clause
// One rank of a round. Used by one thread at a time; other ranks reach it through their pipes only.
#pragma once

#include <memory>
#include <vector>

#include "group.h"
#include "match_table.h"
#include "pipe.h"

namespace halo::inproc {

// Lives in the core's halo_request.
struct Request : Keyed { // linked while it is a posted receive
    enum class State : int32_t { finished, receiving, sending };
    State state = State::finished;
    halo_status status = HALO_SUCCESS;
    void *data = nullptr;
    size_t capacity = 0;
    size_t bytes = 0;
    Node *node = nullptr; // sending: the offer
};
static_assert(sizeof(Request) <= sizeof(halo_request) && alignof(Request) <= alignof(halo_request));

class Endpoint {
public:
    // `group` may be null: a rank on its own.
    Endpoint(const halo_host *host, halo_inproc_group *group, int32_t rank);
    // Unfinished sends are withdrawn, unfinished receives forgotten.
    ~Endpoint();
    Endpoint(const Endpoint &) = delete;
    Endpoint &operator=(const Endpoint &) = delete;

    const halo_host *host() const { return host_; }
    int32_t rank() const { return rank_; }
    int32_t size() const { return round_->size(); }

    halo_status open_lanes(int32_t n_lanes);
    halo_status send(int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, Request &request);
    halo_status receive(int32_t peer, int32_t lane, int32_t tag, Request &request);
    halo_status test(Request &request, bool &done);
    halo_status cancel(Request &request, bool &done);
    // The message found, or nullptr.
    halo_status probe(int32_t peer, int32_t lane, int32_t tag, Node *&message); // peer -1: any
    halo_status probe_any(int32_t lane, int32_t tag, Node *&message);
    halo_status receive_matched(Node &message, Request &request);
    void progress();

private:
    halo_status check(const char *call, int32_t peer, int32_t lane, int32_t tag) const;
    halo_status failure(const Request &request) const;
    Pipe &outbound(int32_t peer);
    void meet_new_pipes();
    void poll(Pipe &pipe);
    void arrive(Node &message);
    void deliver(Node &message, Request &request);
    Node *next_unexpected(Key key);
    void check_offer(Request &request);
    void withdraw_offers();

    const halo_host *host_;
    halo_inproc_group *group_;
    std::shared_ptr<Round> round_;
    int32_t rank_;
    int32_t n_lanes_ = 1;
    std::vector<Pipe *> outbound_;     // by destination; null until first used
    std::vector<Pipe *> inbound_;      // by source
    std::vector<Pipe *> inbound_list_; // those that are there
    Pipe *last_met_ = nullptr;         // head of the list of pipes when it was last read
    MatchTable posted_;
    MatchTable unexpected_;
    Link offers_; // own sends that wait in their buffers
};

} // namespace halo::inproc
