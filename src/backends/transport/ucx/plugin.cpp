// SPDX-License-Identifier: BSD-3-Clause
// The operations table and the module's entry.
#include <cstdio>
#include <memory>
#include <new>

#include "addresses.h"
#include "bootstrap.h"
#include "endpoint.h"
#include "library.h"
#include "report.h"

namespace {

using halo::transport::bootstrap_of;
using halo::transport::report;
using halo::ucx::Address;
using halo::ucx::Addresses;
using halo::ucx::Endpoint;
using halo::ucx::Matched;
using halo::ucx::Own;
using halo::ucx::Request;
using halo::ucx::Worker;
using halo::ucx::WorkerAddress;

constexpr int32_t score_usable = 100;

Endpoint &endpoint_of(halo_transport *transport) { return *reinterpret_cast<Endpoint *>(transport); }
Request &new_request(halo_request *request) { return *new (request) Request; }
Request &request_of(halo_request *request) { return *std::launder(reinterpret_cast<Request *>(request)); }

halo_status check(const halo_host *host, const halo_bootstrap *bootstrap) {
    if (bootstrap == nullptr)
        return report(host, HALO_ERR_PLUGIN,
                      "transport ucx opens over a bootstrap (halo_context_create_over, or transport.besides), and there is none");
    const bool makes_sense = bootstrap->n_ranks >= 1 && bootstrap->rank >= 0 && bootstrap->rank < bootstrap->n_ranks;
    if (!makes_sense || (bootstrap->n_ranks > 1 && bootstrap->allgather == nullptr))
        return report(host, HALO_ERR_ARGUMENT, "transport ucx: the bootstrap has rank %d of %d, and %s allgather", bootstrap->rank,
                      bootstrap->n_ranks, bootstrap->allgather != nullptr ? "an" : "no");
    if (bootstrap->n_ranks > halo::ucx::most_ranks)
        return report(host, HALO_ERR_ARGUMENT, "transport ucx: %d ranks, it can tell %d apart", bootstrap->n_ranks, halo::ucx::most_ranks);
    return HALO_SUCCESS;
}

// Why this rank has no worker; "": it has.
std::string create(Worker &worker, WorkerAddress &address, int32_t n_ranks) {
    std::string text;
    if (!halo::ucx::usable(text)) return text;
    text = worker.create(n_ranks);
    return text.empty() ? address.get() : text;
}

halo_status open_over(const halo_host *host, const halo_bootstrap &bootstrap, halo_transport **transport) {
    auto worker = std::make_unique<Worker>();
    Addresses addresses;
    {
        WorkerAddress address(*worker);
        const std::string failure = create(*worker, address, bootstrap.n_ranks);
        const halo_status status = addresses.exchange(host, bootstrap, Own{ failure, address.data(), address.bytes() });
        if (status != HALO_SUCCESS) return status;
    }
    *transport = reinterpret_cast<halo_transport *>(new Endpoint(host, bootstrap.rank, bootstrap.n_ranks, std::move(worker), std::move(addresses)));
    return HALO_SUCCESS;
}

halo_status open(const halo_host *host, const halo_transport_params *params, halo_transport **transport) {
    const halo_bootstrap *bootstrap = bootstrap_of(*params);
    if (const halo_status status = check(host, bootstrap); status != HALO_SUCCESS) return status;
    try {
        return open_over(host, *bootstrap, transport);
    } catch (const std::bad_alloc &) {
        return report(host, HALO_ERR_MEMORY, "no memory to open the ucx transport");
    }
}

void close(halo_transport *transport) { delete &endpoint_of(transport); }

void identify(const halo_transport *transport, int32_t *rank, int32_t *size, int32_t *max_tag) {
    const auto &endpoint = *reinterpret_cast<const Endpoint *>(transport);
    *rank = endpoint.rank();
    *size = endpoint.size();
    *max_tag = halo::ucx::max_tag;
}

halo_status open_lanes(halo_transport *transport, int32_t n_lanes) { return endpoint_of(transport).open_lanes(n_lanes); }

halo_status send(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request *request) {
    return endpoint_of(transport).send(Address{ peer, lane, tag }, data, bytes, new_request(request));
}

halo_status receive(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request *request) {
    return endpoint_of(transport).receive(Address{ peer, lane, tag }, data, capacity, new_request(request));
}

halo_status test(halo_transport *transport, halo_request *request, int32_t *done, size_t *bytes) {
    bool finished = false;
    size_t n = 0;
    const halo_status status = endpoint_of(transport).test(request_of(request), finished, n);
    *done = finished ? 1 : 0;
    if (bytes != nullptr) *bytes = n;
    return status;
}

halo_status cancel(halo_transport *transport, halo_request *request, int32_t *done) {
    bool finished = false;
    const halo_status status = endpoint_of(transport).cancel(request_of(request), finished);
    *done = finished ? 1 : 0;
    return status;
}

halo_status probe(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, int32_t *found, size_t *bytes, halo_matched *message) {
    bool is_there = false;
    const halo_status status = endpoint_of(transport).probe(Address{ peer, lane, tag }, is_there, *bytes, *new (message) Matched);
    *found = is_there ? 1 : 0;
    return status;
}

halo_status receive_matched(halo_transport *transport, halo_matched *message, void *data, size_t capacity, halo_request *request) {
    return endpoint_of(transport).receive_matched(*std::launder(reinterpret_cast<Matched *>(message)), data, capacity, new_request(request));
}

halo_status progress(halo_transport *transport) {
    endpoint_of(transport).progress();
    return HALO_SUCCESS;
}

// Of a large one, the pieces or the answer that it has been read.
int32_t sends_by_calls(const halo_transport *, int32_t) { return 1; }

int32_t takes_device_memory(const halo_transport *transport, int32_t, const char *device, char *why, size_t why_bytes) {
    try {
        std::string text;
        const bool takes = reinterpret_cast<const Endpoint *>(transport)->worker().takes_memory_of(device, text);
        std::snprintf(why, why_bytes, "%s", text.c_str());
        return takes ? 1 : 0;
    } catch (const std::bad_alloc &) {
        return 0;
    }
}

int32_t query(const halo_host *, char *why, size_t why_bytes) {
    try {
        std::string text;
        const bool usable = halo::ucx::usable(text);
        std::snprintf(why, why_bytes, "%s", text.c_str());
        return usable ? score_usable : 0;
    } catch (const std::bad_alloc &) {
        return 0;
    }
}

// ends_all_when_closed is no: a send that nobody takes keeps its worker and its memory, from which the peer may still read.
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
                                     nullptr,
                                     nullptr,
                                     nullptr,
                                     nullptr,
                                     nullptr,
                                     nullptr,
                                     sends_by_calls,
                                     takes_device_memory };

} // namespace

extern "C" HALO_API const halo_transport_plugin halo_transport_plugin_v1;
const halo_transport_plugin halo_transport_plugin_v1 = {
    HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, sizeof(halo_transport_plugin), "ucx", "0.2.0", query, &ops, HALO_TRANSPORT_OVER_BOOTSTRAP, 0
};
