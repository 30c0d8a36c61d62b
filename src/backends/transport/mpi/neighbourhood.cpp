// SPDX-License-Identifier: BSD-3-Clause
#include "neighbourhood.h"

#if HALO_MPI_NEIGHBOURHOODS

#include <algorithm>
#include <climits>

#include "communicator.h"
#include "library.h"
#include "report.h"

namespace halo::mpi {

namespace {

halo_status split(const halo_host *host, std::span<const halo_neighbour_message> messages, std::vector<int> &peers, std::vector<int> &bytes) {
    for (const halo_neighbour_message &message : messages) {
        if (message.bytes > INT_MAX)
            return transport::report(host, HALO_ERR_LIMIT, "%zu bytes to or from rank %d in one operation: MPI counts up to %d", message.bytes,
                                     message.peer, INT_MAX);
        peers.push_back(message.peer);
        bytes.push_back(static_cast<int>(message.bytes));
    }
    return HALO_SUCCESS;
}

// MPI takes no null for a list, be it empty.
template <class Value>
Value *list(std::vector<Value> &values) {
    static Value nothing{};
    return values.empty() ? &nothing : values.data();
}

MPI_Aint address_of(const void *pointer) {
    MPI_Aint address = 0;
    MPI_Get_address(pointer, &address);
    return address;
}

} // namespace

halo_status Neighbourhood::create(const halo_host *host, MPI_Comm among, std::span<const halo_neighbour_message> sends,
                                  std::span<const halo_neighbour_message> receives, std::unique_ptr<Neighbourhood> &created) {
    std::unique_ptr<Neighbourhood> made(new Neighbourhood);
    std::vector<int> to, from;
    if (halo_status status = split(host, sends, to, made->sent_bytes_); status != HALO_SUCCESS) return status;
    if (halo_status status = split(host, receives, from, made->received_bytes_); status != HALO_SUCCESS) return status;
    made->types_.assign(std::max(to.size(), from.size()), MPI_BYTE);
    int code = MPI_Dist_graph_create_adjacent(among, static_cast<int>(from.size()), list(from), MPI_UNWEIGHTED, static_cast<int>(to.size()), list(to),
                                              MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made->communicator_);
    if (code != MPI_SUCCESS) return failure(host, "MPI_Dist_graph_create_adjacent", code);
    MPI_Comm_set_errhandler(made->communicator_, MPI_ERRORS_RETURN);
    if (halo_status status = duplicate(host, among, &made->farewell_); status != HALO_SUCCESS) {
        mpi::retire(made->communicator_);
        return status;
    }
    created = std::move(made);
    return HALO_SUCCESS;
}

bool Neighbourhood::retire() {
    if (std::any_of(flights_.begin(), flights_.end(), [](const auto &flight) { return flight->in_flight; })) return false;
    mpi::retire(farewell_, communicator_);
    return true;
}

// MPI reads its lists until the operation is done: each in flight has its own.
Neighbourhood::Flight &Neighbourhood::free_flight() {
    const auto found = std::find_if(flights_.begin(), flights_.end(), [](const auto &flight) { return !flight->in_flight; });
    if (found != flights_.end()) return **found;
    auto added = std::make_unique<Flight>();
    added->sent.resize(sent_bytes_.size());
    added->received.resize(received_bytes_.size());
    flights_.push_back(std::move(added));
    return *flights_.back();
}

// Persistent collectives belong together in the order in which they are made, not started: here a rank may be ahead, with other memory.
int Neighbourhood::start(const void *const *sent, void *const *received, MPI_Request &request, Kept *&kept) {
    Flight &flight = free_flight();
    for (size_t i = 0; i < flight.sent.size(); ++i) flight.sent[i] = address_of(sent[i]);
    for (size_t i = 0; i < flight.received.size(); ++i) flight.received[i] = address_of(received[i]);
    const int code = MPI_Ineighbor_alltoallw(MPI_BOTTOM, list(sent_bytes_), list(flight.sent), list(types_), MPI_BOTTOM, list(received_bytes_),
                                             list(flight.received), list(types_), communicator_, &request);
    flight.in_flight = code == MPI_SUCCESS;
    kept = &flight;
    return code;
}

} // namespace halo::mpi

#endif
