// SPDX-License-Identifier: BSD-3-Clause
// The operations table and the module's entry.
#include <cstdio>
#include <cstring>
#include <new>

#include "communicator.h"
#include "device_memory.h"
#include "endpoint.h"
#include "library.h"
#include "report.h"
#include "turn.h"

namespace {

using halo::mpi::Address;
using halo::mpi::Endpoint;
using halo::mpi::Matched;
using halo::mpi::Request;
using halo::mpi::Turn;
using halo::transport::report;

// Scores of query: an initialised MPI is the one to use; next, one whose launcher started the process.
constexpr int32_t score_initialized = 300;
constexpr int32_t score_launched = 200;
constexpr int32_t score_alone = 10;

Endpoint &endpoint_of(halo_transport *transport) { return *reinterpret_cast<Endpoint *>(transport); }
Request &new_request(halo_request *request) { return *new (request) Request; }
Request &request_of(halo_request *request) { return *std::launder(reinterpret_cast<Request *>(request)); }

// Calls an endpoint as MPI allows it.
template <class Call>
halo_status in_turn(halo_transport *transport, Call &&call) {
    Endpoint &endpoint = endpoint_of(transport);
    const Turn turn;
    if (!turn.allowed()) [[unlikely]]
        return report(endpoint.host(), HALO_ERR_STATE, "MPI has been finalised: what was made over it can only be destroyed");
    return call(endpoint);
}

halo_status open_communicator(const halo_host *host, const halo_transport_params *params, halo_transport **transport) {
    MPI_Comm original = MPI_COMM_WORLD;
    if (params->communicator != nullptr) {
        if (params->handle_bytes != sizeof original) {
            return report(host, HALO_ERR_PLUGIN, "the communicator handle has %zu bytes, those of module %s have %zu: it is of another MPI",
                          params->handle_bytes, HALO_MPI_MODULE, sizeof original);
        }
        std::memcpy(&original, params->communicator, sizeof original);
    }
    if (original == MPI_COMM_NULL) return report(host, HALO_ERR_ARGUMENT, "the communicator is MPI_COMM_NULL");
    MPI_Comm copy = MPI_COMM_NULL;
    if (halo_status status = halo::mpi::duplicate(host, original, &copy); status != HALO_SUCCESS) return status;
    *transport = reinterpret_cast<halo_transport *>(new Endpoint(host, copy, halo::mpi::persistent_requests_wanted(host)));
    return HALO_SUCCESS;
}

halo_status open(const halo_host *host, const halo_transport_params *params, halo_transport **transport) {
    const Turn turn;
    try {
        halo_status status = halo::mpi::ensure_initialized(host, params->communicator != nullptr);
        return status == HALO_SUCCESS ? open_communicator(host, params, transport) : status;
    } catch (const std::bad_alloc &) {
        return report(host, HALO_ERR_MEMORY, "no memory to open the mpi transport");
    }
}

void close(halo_transport *transport) {
    const Turn turn;
    delete &endpoint_of(transport);
}

void identify(const halo_transport *transport, int32_t *rank, int32_t *size, int32_t *max_tag) {
    const auto &endpoint = *reinterpret_cast<const Endpoint *>(transport);
    *rank = endpoint.rank();
    *size = endpoint.size();
    *max_tag = endpoint.max_tag();
}

halo_status open_lanes(halo_transport *transport, int32_t n_lanes) {
    try {
        return in_turn(transport, [&](Endpoint &endpoint) { return endpoint.open_lanes(n_lanes); });
    } catch (const std::bad_alloc &) {
        return report(endpoint_of(transport).host(), HALO_ERR_MEMORY, "no memory for %d lanes", n_lanes);
    }
}

halo_status send(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request *request) {
    return in_turn(transport, [&](Endpoint &endpoint) { return endpoint.send(Address{ peer, lane, tag }, data, bytes, new_request(request)); });
}

halo_status receive(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request *request) {
    return in_turn(transport, [&](Endpoint &endpoint) { return endpoint.receive(Address{ peer, lane, tag }, data, capacity, new_request(request)); });
}

halo_status test(halo_transport *transport, halo_request *request, int32_t *done, size_t *bytes) {
    bool finished = false;
    size_t n = 0;
    halo_status status = in_turn(transport, [&](Endpoint &endpoint) { return endpoint.test(request_of(request), finished, n); });
    *done = finished ? 1 : 0;
    if (bytes != nullptr) *bytes = n;
    return status;
}

halo_status cancel(halo_transport *transport, halo_request *request, int32_t *done) {
    bool finished = false;
    halo_status status = in_turn(transport, [&](Endpoint &endpoint) { return endpoint.cancel(request_of(request), finished); });
    *done = finished ? 1 : 0;
    return status;
}

halo_status probe(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, int32_t *found, size_t *bytes, halo_matched *message) {
    bool is_there = false;
    halo_status status = in_turn(transport, [&](Endpoint &endpoint) {
        return endpoint.probe(Address{ peer, lane, tag }, is_there, *bytes, *new (message) Matched);
    });
    *found = is_there ? 1 : 0;
    return status;
}

halo_status receive_matched(halo_transport *transport, halo_matched *message, void *data, size_t capacity, halo_request *request) {
    return in_turn(transport, [&](Endpoint &endpoint) {
        return endpoint.receive_matched(*std::launder(reinterpret_cast<Matched *>(message)), data, capacity, new_request(request));
    });
}

halo_status progress(halo_transport *transport) {
    return in_turn(transport, [](Endpoint &endpoint) { return endpoint.progress(); });
}

int32_t threads(const halo_transport *) {
    const Turn turn;
    return halo::mpi::for_main_thread_only() ? HALO_THREADS_OPENER : HALO_THREADS_ANY;
}

void describe(const halo_transport *transport, char *text, size_t text_bytes) {
    reinterpret_cast<const Endpoint *>(transport)->describe(text, text_bytes);
}

int32_t takes_device_memory(const halo_transport *, int32_t, const char *device, char *why, size_t why_bytes) {
    const Turn turn;
    if (!turn.allowed()) return 0;
    try {
        std::string text;
        const bool takes = halo::mpi::takes_memory_of(device, text);
        std::snprintf(why, why_bytes, "%s", text.c_str());
        return takes ? 1 : 0;
    } catch (const std::bad_alloc &) {
        return 0;
    }
}

#if HALO_MPI_NEIGHBOURHOODS

using halo::mpi::Neighbourhood;

halo_status neighbourhood_create(halo_transport *transport, const halo_neighbour_message *sends, int32_t n_sends,
                                 const halo_neighbour_message *receives, int32_t n_receives, halo_neighbourhood **neighbourhood) {
    const std::span sent(sends, static_cast<size_t>(n_sends)), received(receives, static_cast<size_t>(n_receives));
    try {
        Neighbourhood *created = nullptr;
        halo_status status = in_turn(transport, [&](Endpoint &endpoint) { return endpoint.create_neighbourhood(sent, received, created); });
        *neighbourhood = reinterpret_cast<halo_neighbourhood *>(created);
        return status;
    } catch (const std::bad_alloc &) {
        return report(endpoint_of(transport).host(), HALO_ERR_MEMORY, "no memory for a neighbourhood of %d and %d messages", n_sends, n_receives);
    }
}

void neighbourhood_destroy(halo_transport *transport, halo_neighbourhood *neighbourhood) {
    const Turn turn;
    endpoint_of(transport).destroy(*reinterpret_cast<Neighbourhood *>(neighbourhood));
}

halo_status neighbourhood_start(halo_transport *transport, halo_neighbourhood *neighbourhood, const void *const *sent, void *const *received,
                                halo_request *request) {
    try {
        return in_turn(transport, [&](Endpoint &endpoint) {
            return endpoint.start(*reinterpret_cast<Neighbourhood *>(neighbourhood), sent, received, new_request(request));
        });
    } catch (const std::bad_alloc &) {
        return report(endpoint_of(transport).host(), HALO_ERR_MEMORY, "no memory for one more operation of a neighbourhood");
    }
}

#else

constexpr decltype(halo_transport_ops::neighbourhood_create) neighbourhood_create = nullptr;
constexpr decltype(halo_transport_ops::neighbourhood_destroy) neighbourhood_destroy = nullptr;
constexpr decltype(halo_transport_ops::neighbourhood_start) neighbourhood_start = nullptr;

#endif

int32_t answer(char *why, size_t why_bytes, int32_t score, const char *reason, const char *detail) {
    std::snprintf(why, why_bytes, "%s: %s", reason, detail);
    return score;
}

int32_t query(const halo_host *, char *why, size_t why_bytes) {
    try {
        std::string library = halo::mpi::library_text();
        const char *variable = "";
        if (!halo::mpi::bound_to_own_library()) return answer(why, why_bytes, 0, "the process has another MPI", library.c_str());
        if (halo::mpi::finalized()) return answer(why, why_bytes, 0, "MPI is finalised already", library.c_str());
        if (halo::mpi::initialized()) return answer(why, why_bytes, score_initialized, "the program has initialised", library.c_str());
        if (halo::mpi::launched(variable)) return answer(why, why_bytes, score_launched, "its launcher started the process and has set", variable);
        if (const char *others = halo::mpi::launched_by_another())
            return answer(why, why_bytes, 0, (library + " was found, and the launcher of another MPI has set").c_str(), others);
        return answer(why, why_bytes, score_alone, "not initialised and no launcher has set", variable);
    } catch (const std::bad_alloc &) {
        return 0;
    }
}

constexpr halo_transport_ops ops = { sizeof(halo_transport_ops),
                                     open,
                                     close,
                                     identify,
                                     open_lanes,
                                     send,
                                     receive,
                                     test,
                                     cancel,
                                     probe,
                                     receive_matched,
                                     progress,
                                     threads,
                                     nullptr,
                                     nullptr,
                                     describe,
                                     neighbourhood_create,
                                     neighbourhood_destroy,
                                     neighbourhood_start,
                                     nullptr,
                                     takes_device_memory };

} // namespace

extern "C" HALO_API const halo_transport_plugin halo_transport_plugin_v1;
const halo_transport_plugin halo_transport_plugin_v1 = {
    HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, sizeof(halo_transport_plugin), HALO_MPI_MODULE, "0.2.0", query, &ops, 0, 0
};
