// SPDX-License-Identifier: BSD-3-Clause
#include "endpoint.h"

#include <algorithm>
#include <climits>
#include <cstdio>
#include <utility>

#include "communicator.h"
#include "extent.h"
#include "library.h"
#include "report.h"

namespace halo::mpi {

using transport::report;

namespace {

constexpr int32_t tag_limit = 32767;   // what every MPI guarantees
constexpr double patience_seconds = 1; // for a message that is coming in while its receive is given up

#if defined(OPEN_MPI)
constexpr bool size_is_known_after_errors = true;
#else
constexpr bool size_is_known_after_errors = false;
#endif

} // namespace

Endpoint::Endpoint(const halo_host *host, MPI_Comm communicator, bool persistent)
    : host_(host),
      lanes_{ communicator },
      repeated_(persistent ? std::make_unique<Repeated>() : nullptr) {
    receives_.previous = receives_.next = &receives_;
    MPI_Comm_rank(communicator, &rank_);
    MPI_Comm_size(communicator, &size_);
    int *bound = nullptr;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &found);
    max_tag_ = found != 0 ? std::min<int32_t>(*bound, tag_limit) : tag_limit;
}

// A communicator with operations left is kept for good.
Endpoint::~Endpoint() {
    if (finalized()) return;
#if HALO_MPI_NEIGHBOURHOODS
    for (auto &neighbourhood : neighbourhoods_)
        if (!neighbourhood->retire()) static_cast<void>(neighbourhood.release());
#endif
    const bool nothing_left = give_up();
    if (repeated_) repeated_->free_all();
    if (!nothing_left) return;
    for (MPI_Comm communicator : lanes_) retire(communicator);
}

halo_status Endpoint::check(const char *call, Address address) const {
    if (address.peer >= 0 && address.peer < size_ && address.peer != rank_ && address.lane >= 0 &&
        static_cast<size_t>(address.lane) < lanes_.size() && address.tag >= 0 && address.tag <= max_tag_) [[likely]]
        return HALO_SUCCESS;
    return report(host_, HALO_ERR_ARGUMENT, "%s: peer %d, lane %d, tag %d; this is rank %d of %d with %zu lanes and tags up to %d", call,
                  address.peer, address.lane, address.tag, rank_, size_, lanes_.size(), max_tag_);
}

// -1: from any rank, where there are others.
halo_status Endpoint::check_probe(Address from) const {
    const bool any = from.peer == -1 && size_ > 1;
    return check("probe", { any ? (rank_ + 1) % size_ : from.peer, from.lane, from.tag });
}

halo_status Endpoint::open_lanes(int32_t n_lanes) {
    lanes_.reserve(static_cast<size_t>(std::max(n_lanes, 0)));
    while (static_cast<int64_t>(lanes_.size()) < n_lanes)
        if (halo_status status = open_lane(); status != HALO_SUCCESS) return status;
    return HALO_SUCCESS;
}

halo_status Endpoint::open_lane() {
    if (!opening_) {
        auto begun = std::make_unique<Opening>();
        if (halo_status status = begin_duplicate(host_, lanes_[0], &begun->communicator, &begun->request); status != HALO_SUCCESS) return status;
        opening_ = std::move(begun);
        ++n_unfinished_;
    }
    WorldErrors::Ours ours;
    int done = 0;
    int code = MPI_Test(&opening_->request, &done, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && done == 0) return HALO_BUSY;
    --n_unfinished_;
    MPI_Comm communicator = std::exchange(opening_, nullptr)->communicator;
    if (code != MPI_SUCCESS) return failure(host_, "MPI_Comm_idup", code);
    MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
    lanes_.push_back(communicator);
    return HALO_SUCCESS;
}

// ---- what is in flight

void Endpoint::started(Request &request, Request::Kind kind, Address address, size_t capacity) {
    request.kind = kind;
    request.address = address;
    request.capacity = capacity;
    ++n_unfinished_;
    if (!request.is_receive()) return;
    request.previous = receives_.previous;
    request.next = &receives_;
    request.previous->next = request.next->previous = &request;
}

void Endpoint::unlink(Request &request) {
    request.previous->next = request.next;
    request.next->previous = request.previous;
    request.kind = Request::Kind::none;
}

template <class Begin, class Make>
halo_status Endpoint::begin(const Repeated::Operation &operation, Request &request, const char *call, Begin &&begin, Make &&make) {
    Kept *const kept = repeated_ && operation.bytes <= INT_MAX ? repeated_->find(operation) : nullptr;
    if (!kept) {
        const int code = begin(&request.request);
        return code == MPI_SUCCESS ? HALO_SUCCESS : failure(host_, call, code);
    }
    if (kept->request == MPI_REQUEST_NULL)
        if (const int code = make(&kept->request); code != MPI_SUCCESS) return failure(host_, "making a persistent request", code);
    if (const int code = MPI_Start(&kept->request); code != MPI_SUCCESS) return failure(host_, "MPI_Start", code);
    kept->in_flight = true;
    request.kept = kept;
    request.request = kept->request;
    ++repeated_->n_started;
    return HALO_SUCCESS;
}

halo_status Endpoint::send(Address to, const void *data, size_t bytes, Request &request) {
    if (halo_status status = check("send", to); status != HALO_SUCCESS) return status;
    Extent extent(bytes);
    const auto with = [&](auto &&call) {
        return [&, call](MPI_Request *begun) { return call(data, extent.count(), extent.type(), to.peer, to.tag, lane(to.lane), begun); };
    };
    halo_status status = begin({ to, true, data, bytes }, request, "MPI_Isend", with(MPI_Isend), with(MPI_Send_init));
    if (status == HALO_SUCCESS) started(request, Request::Kind::send, to, bytes);
    return status;
}

halo_status Endpoint::receive(Address from, void *data, size_t capacity, Request &request) {
    if (halo_status status = check("receive", from); status != HALO_SUCCESS) return status;
    Extent extent(capacity);
    const auto with = [&](auto &&call) {
        return [&, call](MPI_Request *begun) { return call(data, extent.count(), extent.type(), from.peer, from.tag, lane(from.lane), begun); };
    };
    halo_status status = begin({ from, false, data, capacity }, request, "MPI_Irecv", with(MPI_Irecv), with(MPI_Recv_init));
    if (status == HALO_SUCCESS) started(request, Request::Kind::receive, from, capacity);
    return status;
}

void Endpoint::describe(char *text, size_t bytes) const {
    if (!repeated_) return;
    std::snprintf(text, bytes, "persistent requests: %lld kept, %lld starts", static_cast<long long>(repeated_->n_kept()),
                  static_cast<long long>(repeated_->n_started));
}

// ---- neighbourhoods

#if HALO_MPI_NEIGHBOURHOODS

halo_status Endpoint::create_neighbourhood(std::span<const halo_neighbour_message> sends, std::span<const halo_neighbour_message> receives,
                                           Neighbourhood *&neighbourhood) {
    for (const auto &messages : { sends, receives })
        for (const halo_neighbour_message &message : messages)
            if (halo_status status = check("a neighbourhood", { message.peer, 0, 0 }); status != HALO_SUCCESS) return status;
    neighbourhoods_.reserve(neighbourhoods_.size() + 1);
    std::unique_ptr<Neighbourhood> created;
    halo_status status = Neighbourhood::create(host_, lanes_[0], sends, receives, created);
    if (status != HALO_SUCCESS) return status;
    neighbourhood = created.get();
    neighbourhoods_.push_back(std::move(created));
    return HALO_SUCCESS;
}

void Endpoint::destroy(Neighbourhood &neighbourhood) {
    const auto one = std::find_if(neighbourhoods_.begin(), neighbourhoods_.end(), [&](const auto &some) { return some.get() == &neighbourhood; });
    if (one == neighbourhoods_.end() || (!finalized() && !neighbourhood.retire())) return; // it ends with this
    neighbourhoods_.erase(one);
}

halo_status Endpoint::start(Neighbourhood &neighbourhood, const void *const *sent, void *const *received, Request &request) {
    const int code = neighbourhood.start(sent, received, request.request, request.kept);
    if (code != MPI_SUCCESS) return failure(host_, "MPI_Ineighbor_alltoallw", code);
    started(request, Request::Kind::neighbourhood, { -1, 0, 0 }, 0);
    return HALO_SUCCESS;
}

#endif

// ---- completion

int Endpoint::poll(Request &request, bool &done, MPI_Status &status) {
    WorldErrors::Ours ours;
    int flag = 0;
    int code = MPI_Test(&request.request, &flag, &status);
    done = flag != 0 || code != MPI_SUCCESS;
    return code;
}

// MPI is done with the request: free it and turn its outcome into a status.
halo_status Endpoint::end(Request &request, int code, const MPI_Status &status, size_t &bytes) {
    --n_unfinished_;
    bytes = 0;
    if (request.kept != nullptr) request.kept->in_flight = false;
    if (request.is_receive()) {
        unlink(request);
        bytes = bytes_of(status);
    }
    const bool is_message = std::exchange(request.kind, Request::Kind::none) != Request::Kind::neighbourhood;
    if (code == MPI_SUCCESS) [[likely]]
        return HALO_SUCCESS;
    if (request.request != MPI_REQUEST_NULL) MPI_Request_free(&request.request); // some MPIs keep it after an error
    if (request.kept != nullptr) request.kept->request = MPI_REQUEST_NULL;
    int error_class = MPI_ERR_OTHER;
    MPI_Error_class(code, &error_class);
    if (error_class != MPI_ERR_TRUNCATE || !is_message) return failure(host_, "MPI_Test", code);
    if (!size_is_known_after_errors || bytes <= request.capacity) bytes = 0;
    return report(host_, HALO_ERR_WIRE, "a longer message (%zu bytes, 0: unknown) than the receive of %zu bytes came from rank %d (lane %d, tag %d)",
                  bytes, request.capacity, request.address.peer, request.address.lane, request.address.tag);
}

halo_status Endpoint::test(Request &request, bool &done, size_t &bytes) {
    bytes = 0;
    done = request.kind == Request::Kind::none; // a test that failed has ended it
    if (done) return HALO_SUCCESS;
    MPI_Status status{};
    int code = poll(request, done, status);
    return done ? end(request, code, status, bytes) : HALO_SUCCESS;
}

halo_status Endpoint::cancel(Request &request, bool &done) {
    done = request.kind == Request::Kind::none;
    if (done) return HALO_SUCCESS;
    if (!request.is_receive()) return report(host_, HALO_ERR_ARGUMENT, "cancel of what is no receive; rank %d", request.address.peer);
    if (request.kind == Request::Kind::receive) MPI_Cancel(&request.request); // a message that was found must be received
    MPI_Status status{};
    double start = MPI_Wtime();
    int code = poll(request, done, status);
    while (!done && MPI_Wtime() - start < patience_seconds) code = poll(request, done, status);
    if (!done) {
        unlink(request);
        return report(host_, HALO_ERR_TRANSPORT,
                      "MPI does not let go of a receive of %zu bytes: its message from rank %d (lane %d, tag %d) is coming in", request.capacity,
                      request.address.peer, request.address.lane, request.address.tag);
    }
    int cancelled = 0;
    if (code == MPI_SUCCESS) MPI_Test_cancelled(&status, &cancelled);
    done = cancelled == 0;
    size_t bytes = 0;
    return end(request, code, status, bytes);
}

// Gives up the receives; true if nothing at all is left. Of sends, and of a lane that is being opened, MPI cannot let go.
bool Endpoint::give_up() {
    while (receives_.next != &receives_) {
        bool done = false;
        cancel(*receives_.next, done);
    }
    if (n_unfinished_ == 0) return true;
    static_cast<void>(opening_.release()); // MPI may still write there
    if (host_->log != nullptr) {
        host_->log(host_->core, 1, "mpi transport closed with messages in flight: their communicator is kept until the process ends");
    }
    return false;
}

// ---- probing

#if HALO_MPI_MATCHED_PROBE

halo_status Endpoint::probe(Address from, bool &found, size_t &bytes, Matched &matched) {
    found = false;
    if (halo_status status = check_probe(from); status != HALO_SUCCESS) return status;
    int flag = 0;
    MPI_Status status;
    int code = MPI_Improbe(from.peer < 0 ? MPI_ANY_SOURCE : from.peer, from.tag, lane(from.lane), &flag, &matched.message, &status);
    if (code != MPI_SUCCESS) return failure(host_, "MPI_Improbe", code);
    if (flag == 0) return HALO_SUCCESS;
    found = true;
    bytes = bytes_of(status);
    matched.address = { status.MPI_SOURCE, from.lane, from.tag };
    ++n_unfinished_;
    return HALO_SUCCESS;
}

halo_status Endpoint::receive_matched(Matched &matched, void *data, size_t capacity, Request &request) {
    Extent extent(capacity);
    int code = MPI_Imrecv(data, extent.count(), extent.type(), &matched.message, &request.request);
    if (code != MPI_SUCCESS) return failure(host_, "MPI_Imrecv", code);
    --n_unfinished_; // as a probed message
    started(request, Request::Kind::matched, matched.address, capacity);
    return HALO_SUCCESS;
}

#else

halo_status Endpoint::probe(Address from, bool &found, size_t &bytes, Matched &matched) {
    found = false;
    if (halo_status status = check_probe(from); status != HALO_SUCCESS) return status;
    int flag = 0;
    MPI_Status status;
    int code = MPI_Iprobe(from.peer < 0 ? MPI_ANY_SOURCE : from.peer, from.tag, lane(from.lane), &flag, &status);
    if (code != MPI_SUCCESS) return failure(host_, "MPI_Iprobe", code);
    if (flag == 0) return HALO_SUCCESS;
    found = true;
    bytes = bytes_of(status);
    matched.address = { status.MPI_SOURCE, from.lane, from.tag };
    return HALO_SUCCESS;
}

halo_status Endpoint::receive_matched(Matched &matched, void *data, size_t capacity, Request &request) {
    return receive(matched.address, data, capacity, request);
}

#endif

// Where a message waits that nobody has received, MPI may find it and look no further: then it is asked for one that never comes, as no rank sends to
// itself.
halo_status Endpoint::progress() {
    int flag = 0;
    int code = MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, lanes_[0], &flag, MPI_STATUS_IGNORE);
    if (code == MPI_SUCCESS && flag != 0) code = MPI_Iprobe(rank_, MPI_ANY_TAG, lanes_[0], &flag, MPI_STATUS_IGNORE);
    return code == MPI_SUCCESS ? HALO_SUCCESS : failure(host_, "MPI_Iprobe", code);
}

} // namespace halo::mpi
