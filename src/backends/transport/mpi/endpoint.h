// SPDX-License-Identifier: BSD-3-Clause
// One rank of a private duplicate of a communicator; each further lane is one more duplicate.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "halo_plugin.h"
#include "neighbourhood.h"
#include "repeated.h"
#include "world_errors.h"

namespace halo::mpi {

// Where an MPI lacks the matched probe, a found message stays in the queue: it must be received before the same peer, lane and tag are
// probed or received again.
#if MPI_VERSION >= 3 && !defined(SMPI_H)
#define HALO_MPI_MATCHED_PROBE 1
#else
#define HALO_MPI_MATCHED_PROBE 0
#endif

// Lives in the core's halo_request. A receive is linked into its endpoint's list while in flight, so that it can be given up.
struct Request {
    enum class Kind : int32_t { none, send, receive, matched, neighbourhood };
    Request *previous = nullptr;
    Request *next = nullptr;
    Kept *kept = nullptr; // whose request it is; null: it is of this operation alone
    MPI_Request request = MPI_REQUEST_NULL;
    size_t capacity = 0;
    Address address{};
    Kind kind = Kind::none;
    bool is_receive() const { return kind == Kind::receive || kind == Kind::matched; }
};
static_assert(sizeof(Request) <= sizeof(halo_request) && alignof(Request) <= alignof(halo_request));

// Lives in the core's halo_matched.
struct Matched {
#if HALO_MPI_MATCHED_PROBE
    MPI_Message message = MPI_MESSAGE_NULL;
#endif
    Address address{};
};
static_assert(sizeof(Matched) <= sizeof(halo_matched) && alignof(Matched) <= alignof(halo_matched));

class Endpoint {
public:
    // Takes over `communicator`, a duplicate that returns errors.
    Endpoint(const halo_host *host, MPI_Comm communicator, bool persistent);
    // Gives up what is in flight; never waits for other ranks.
    ~Endpoint();
    Endpoint(const Endpoint &) = delete;
    Endpoint &operator=(const Endpoint &) = delete;

    const halo_host *host() const { return host_; }
    int32_t rank() const { return rank_; }
    int32_t size() const { return size_; }
    int32_t max_tag() const { return max_tag_; }

    // HALO_BUSY: not all ranks are here yet.
    halo_status open_lanes(int32_t n_lanes);
    halo_status send(Address to, const void *data, size_t bytes, Request &request);
    halo_status receive(Address from, void *data, size_t capacity, Request &request);
    halo_status test(Request &request, bool &done, size_t &bytes);
    // HALO_ERR_TRANSPORT: MPI is in the middle of the message and does not let go; the buffer must stay for as long as the process lives.
    halo_status cancel(Request &request, bool &done);
    halo_status probe(Address from, bool &found, size_t &bytes, Matched &matched);
    halo_status receive_matched(Matched &matched, void *data, size_t capacity, Request &request);
    halo_status progress();
    void describe(char *text, size_t bytes) const;

#if HALO_MPI_NEIGHBOURHOODS
    halo_status create_neighbourhood(std::span<const halo_neighbour_message> sends, std::span<const halo_neighbour_message> receives,
                                     Neighbourhood *&neighbourhood);
    void destroy(Neighbourhood &neighbourhood);
    halo_status start(Neighbourhood &neighbourhood, const void *const *sent, void *const *received, Request &request);
#endif

private:
    // A lane that is being opened. MPI writes the communicator while it progresses.
    struct Opening {
        MPI_Comm communicator = MPI_COMM_NULL;
        MPI_Request request = MPI_REQUEST_NULL;
    };

    halo_status open_lane();
    halo_status check(const char *call, Address address) const;
    halo_status check_probe(Address from) const;
    MPI_Comm lane(int32_t number) const { return lanes_[static_cast<size_t>(number)]; }
    // By `begin`, which is `call`, or, where the operation has come before, by a request that `make` makes.
    template <class Begin, class Make>
    halo_status begin(const Repeated::Operation &operation, Request &request, const char *call, Begin &&begin, Make &&make);
    void started(Request &request, Request::Kind kind, Address address, size_t capacity);
    void unlink(Request &request);
    // MPI_Test; its code.
    int poll(Request &request, bool &done, MPI_Status &status);
    halo_status end(Request &request, int code, const MPI_Status &status, size_t &bytes);
    bool give_up();

    const halo_host *host_;
    WorldErrors world_errors_;
    int32_t rank_ = 0;
    int32_t size_ = 1;
    int32_t max_tag_ = 0;
    std::vector<MPI_Comm> lanes_;
    std::unique_ptr<Opening> opening_;   // null: none is
    std::unique_ptr<Repeated> repeated_; // null: no requests are persistent
#if HALO_MPI_NEIGHBOURHOODS
    std::vector<std::unique_ptr<Neighbourhood>> neighbourhoods_;
#endif
    Request receives_;         // anchor of the ring of those in flight
    int64_t n_unfinished_ = 0; // sends, receives, operations of neighbourhoods, messages probed but not received, and a lane that is being opened
};

} // namespace halo::mpi
