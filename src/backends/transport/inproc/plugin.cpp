// SPDX-License-Identifier: BSD-3-Clause
// The operations table.
#include <cstdio>
#include <cstring>
#include <new>

#include "endpoint.h"
#include "inproc.h"
#include "report.h"

namespace {

using halo::inproc::Endpoint;
using halo::inproc::Node;
using halo::inproc::Request;
using halo::transport::report;

Endpoint &endpoint_of(halo_transport *transport) { return *reinterpret_cast<Endpoint *>(transport); }
Request &new_request(halo_request *request) { return *new (request) Request; }
Request &request_of(halo_request *request) { return *std::launder(reinterpret_cast<Request *>(request)); }

// Runs `body`; lack of memory becomes a status.
template <class Body>
halo_status guard(const halo_host *host, Body body) {
    try {
        return body();
    } catch (const std::bad_alloc &) {
        return report(host, HALO_ERR_MEMORY, "no memory for messages inside the process");
    }
}

halo_status open(const halo_host *host, const halo_transport_params *params, halo_transport **transport) {
    auto *group = static_cast<halo_inproc_group *>(params->group);
    int32_t n_ranks = group != nullptr ? group->size() : 1;
    int32_t rank = group != nullptr ? params->rank : 0;
    if (rank < 0 || rank >= n_ranks) return report(host, HALO_ERR_ARGUMENT, "rank %d of a group of %d", rank, n_ranks);
    return guard(host, [&] {
        *transport = reinterpret_cast<halo_transport *>(new Endpoint(host, group, rank));
        return HALO_SUCCESS;
    });
}

void close(halo_transport *transport) { delete &endpoint_of(transport); }

void identify(const halo_transport *transport, int32_t *rank, int32_t *size, int32_t *max_tag) {
    const auto &endpoint = *reinterpret_cast<const Endpoint *>(transport);
    *rank = endpoint.rank();
    *size = endpoint.size();
    *max_tag = INT32_MAX;
}

halo_status open_lanes(halo_transport *transport, int32_t n_lanes) { return endpoint_of(transport).open_lanes(n_lanes); }

halo_status send(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes, halo_request *request) {
    Endpoint &endpoint = endpoint_of(transport);
    return guard(endpoint.host(), [&] { return endpoint.send(peer, lane, tag, data, bytes, new_request(request)); });
}

halo_status receive(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity, halo_request *request) {
    Endpoint &endpoint = endpoint_of(transport);
    Request &mine = new_request(request);
    mine.data = data;
    mine.capacity = capacity;
    return endpoint.receive(peer, lane, tag, mine);
}

halo_status test(halo_transport *transport, halo_request *request, int32_t *done, size_t *bytes) {
    Request &mine = request_of(request);
    bool finished = false;
    halo_status status = endpoint_of(transport).test(mine, finished);
    *done = finished ? 1 : 0;
    if (bytes != nullptr) *bytes = mine.bytes;
    return status;
}

halo_status cancel(halo_transport *transport, halo_request *request, int32_t *done) {
    bool finished = false;
    halo_status status = endpoint_of(transport).cancel(request_of(request), finished);
    *done = finished ? 1 : 0;
    return status;
}

halo_status probe(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, int32_t *found, size_t *bytes, halo_matched *message) {
    Node *node = nullptr;
    halo_status status = endpoint_of(transport).probe(peer, lane, tag, node);
    *found = node != nullptr ? 1 : 0;
    if (node != nullptr) {
        *bytes = node->bytes;
        std::memcpy(message, &node, sizeof node);
    }
    return status;
}

halo_status receive_matched(halo_transport *transport, halo_matched *message, void *data, size_t capacity, halo_request *request) {
    Node *node = nullptr;
    std::memcpy(&node, message, sizeof node);
    Request &mine = new_request(request);
    mine.data = data;
    mine.capacity = capacity;
    return endpoint_of(transport).receive_matched(*node, mine);
}

halo_status progress(halo_transport *transport) {
    endpoint_of(transport).progress();
    return HALO_SUCCESS;
}

int32_t ends_all_when_closed(const halo_transport *) { return 1; }

int32_t query(const halo_host *, char *why, size_t why_bytes) {
    std::snprintf(why, why_bytes, "ranks are threads of this process");
    return 1;
}

constexpr halo_transport_ops ops = {
    sizeof(halo_transport_ops), open,    close,   identify, open_lanes, send,    receive, test,   cancel, probe, receive_matched, progress, nullptr,
    ends_all_when_closed,       nullptr, nullptr, nullptr,  nullptr,    nullptr, nullptr, nullptr
};

} // namespace

const halo_transport_plugin halo_transport_inproc = {
    HALO_PLUGIN_ABI_MAJOR, HALO_PLUGIN_ABI_MINOR, sizeof(halo_transport_plugin), "inproc", "0.2.0", query, &ops, 0, 0
};
