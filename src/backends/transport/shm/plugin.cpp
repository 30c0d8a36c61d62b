// SPDX-License-Identifier: BSD-3-Clause
// The operations table and the module's entry.
#include <cstdio>
#include <cstring>
#include <new>

#include "bootstrap.h"
#include "endpoint.h"
#include "open.h"
#include "report.h"

namespace {

using halo::shm::Endpoint;
using halo::shm::Request;
using halo::shm::Stored;
using halo::transport::bootstrap_of;
using halo::transport::report;

// Below that of a transport that reaches other hosts: `query` does not know on how many the ranks are.
constexpr int32_t score = 50;

Endpoint &endpoint_of(halo_transport *transport) { return *reinterpret_cast<Endpoint *>(transport); }
const Endpoint &endpoint_of(const halo_transport *transport) { return *reinterpret_cast<const Endpoint *>(transport); }
Request &new_request(halo_request *request) { return *new (request) Request; }
Request &request_of(halo_request *request) { return *std::launder(reinterpret_cast<Request *>(request)); }

// Runs `body`; lack of memory becomes a status.
template <class Body>
halo_status guard(const halo_host *host, Body body) {
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return report(host, HALO_ERR_MEMORY, "no memory for messages inside the host");
    }
}

halo_status open(const halo_host *host, const halo_transport_params *params, halo_transport **transport) {
    const halo_bootstrap *bootstrap = bootstrap_of(*params);
    if (bootstrap == nullptr)
        return report(host, HALO_ERR_PLUGIN,
                      "transport shm opens over a bootstrap alone, and there is none: halo_context_create_over, or the setting "
                      "transport.besides next to another transport");
    return guard(host, [&] {
        std::unique_ptr<Endpoint> opened;
        halo_status status = halo::shm::open_endpoint(host, *bootstrap, (params->flags & HALO_OPEN_FOR_READERS) != 0, opened);
        if (status == HALO_SUCCESS) *transport = reinterpret_cast<halo_transport *>(opened.release());
        return status;
    });
}

void close(halo_transport *transport) { delete &endpoint_of(transport); }

void identify(const halo_transport *transport, int32_t *rank, int32_t *size, int32_t *max_tag) {
    *rank = endpoint_of(transport).rank();
    *size = endpoint_of(transport).size();
    *max_tag = INT32_MAX;
}

halo_status open_lanes(halo_transport *transport, int32_t n_lanes) { return endpoint_of(transport).open_lanes(n_lanes); }

halo_status send(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request *request) {
    return endpoint_of(transport).send(peer, lane, tag, data, bytes, new_request(request));
}

Request &new_receive(halo_request *request, void *data, size_t capacity) {
    Request &mine = new_request(request);
    mine.data = static_cast<unsigned char *>(data);
    mine.size = capacity;
    return mine;
}

halo_status receive(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request *request) {
    Endpoint &endpoint = endpoint_of(transport);
    return guard(endpoint.host(), [&] { return endpoint.receive(peer, lane, tag, new_receive(request, data, capacity)); });
}

halo_status test(halo_transport *transport, halo_request *request, int32_t *done, size_t *bytes) {
    Endpoint &endpoint = endpoint_of(transport);
    Request &mine = request_of(request);
    bool finished = false;
    halo_status status = guard(endpoint.host(), [&] { return endpoint.test(mine, finished); });
    *done = finished ? 1 : 0;
    if (bytes != nullptr) *bytes = mine.bytes;
    return status;
}

halo_status cancel(halo_transport *transport, halo_request *request, int32_t *done) {
    Endpoint &endpoint = endpoint_of(transport);
    bool finished = false;
    halo_status status = guard(endpoint.host(), [&] { return endpoint.cancel(request_of(request), finished); });
    *done = finished ? 1 : 0;
    return status;
}

halo_status probe(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, int32_t *found, size_t *bytes, halo_matched *message) {
    Endpoint &endpoint = endpoint_of(transport);
    Stored *stored = nullptr;
    halo_status status = guard(endpoint.host(), [&] { return endpoint.probe(peer, lane, tag, stored); });
    *found = stored != nullptr ? 1 : 0;
    if (stored != nullptr) {
        *bytes = stored->bytes;
        std::memcpy(message, &stored, sizeof stored);
    }
    return status;
}

halo_status receive_matched(halo_transport *transport, halo_matched *message, void *data, size_t capacity, halo_request *request) {
    Endpoint &endpoint = endpoint_of(transport);
    Stored *stored = nullptr;
    std::memcpy(&stored, message, sizeof stored);
    return guard(endpoint.host(), [&] { return endpoint.receive_matched(*stored, new_receive(request, data, capacity)); });
}

halo_status progress(halo_transport *transport) {
    Endpoint &endpoint = endpoint_of(transport);
    return guard(endpoint.host(), [&] {
        endpoint.progress();
        return HALO_SUCCESS;
    });
}

// No other process writes the program's memory, and what one has read there after closing it throws away.
int32_t ends_all_when_closed(const halo_transport *) { return 1; }

int32_t reaches(const halo_transport *transport, int32_t peer) { return endpoint_of(transport).reaches(peer) ? 1 : 0; }

int32_t sends_by_calls(const halo_transport *transport, int32_t peer) { return endpoint_of(transport).sends_by_calls(peer) ? 1 : 0; }

int32_t query(const halo_host *, char *why, size_t why_bytes) {
    if (!halo::shm::this_place().known()) {
        std::snprintf(why, why_bytes, "/proc does not tell which host this is");
        return 0;
    }
    std::snprintf(why, why_bytes, "shared memory, between ranks of one host");
    return score;
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
                                     nullptr,
                                     ends_all_when_closed,
                                     reaches,
                                     nullptr,
                                     nullptr,
                                     nullptr,
                                     nullptr,
                                     sends_by_calls,
                                     nullptr };

} // namespace

extern "C" HALO_API const halo_transport_plugin halo_transport_plugin_v1;
const halo_transport_plugin halo_transport_plugin_v1 = {
    HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, sizeof(halo_transport_plugin), "shm", "0.2.0", query, &ops, HALO_TRANSPORT_OVER_BOOTSTRAP, 0
};
