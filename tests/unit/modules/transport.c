/* SPDX-License-Identifier: BSD-3-Clause */
/* A transport module with one thing wrong, chosen by definitions. Its operations are never called by the tests. */
#include <stdio.h>

#include "halo_plugin.h"

#ifndef SCORE
#define SCORE 5
#endif
#ifndef ABI_MAJOR
#define ABI_MAJOR HALO_PLUGIN_ABI_MAJOR
#endif
#ifndef ABI_MINOR
#define ABI_MINOR HALO_PLUGIN_ABI_MINOR
#endif
#ifndef DESCRIPTION_BYTES
#define DESCRIPTION_BYTES sizeof(halo_transport_plugin)
#endif
#ifndef OPS_BYTES
#define OPS_BYTES sizeof(halo_transport_ops)
#endif
#ifndef CAPABILITIES
#define CAPABILITIES 0
#endif
#ifdef CALL_NOBODY
void halo_test_defined_nowhere(void);
#endif

static int32_t query(const halo_host *host, char *why, size_t why_bytes) {
    (void)host;
#ifdef CALL_NOBODY
    halo_test_defined_nowhere();
#endif
    snprintf(why, why_bytes, "a test module that scores %d", SCORE);
    return SCORE;
}

static halo_status open_it(const halo_host *host, const halo_transport_params *params, halo_transport **transport) {
    (void)host, (void)params, (void)transport;
    return HALO_ERR_TRANSPORT;
}
static void close_it(halo_transport *transport) { (void)transport; }
static void identify(const halo_transport *transport, int32_t *rank, int32_t *size, int32_t *max_tag) {
    (void)transport, (void)rank, (void)size, (void)max_tag;
}
static halo_status open_lanes(halo_transport *transport, int32_t n_lanes) {
    (void)transport, (void)n_lanes;
    return HALO_ERR_TRANSPORT;
}
static halo_status send_it(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, const void *data, size_t bytes,
                           halo_request *request) {
    (void)transport, (void)peer, (void)lane, (void)tag, (void)data, (void)bytes, (void)request;
    return HALO_ERR_TRANSPORT;
}
static halo_status receive_it(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, void *data, size_t capacity,
                              halo_request *request) {
    (void)transport, (void)peer, (void)lane, (void)tag, (void)data, (void)capacity, (void)request;
    return HALO_ERR_TRANSPORT;
}
static halo_status test_it(halo_transport *transport, halo_request *request, int32_t *done, size_t *bytes) {
    (void)transport, (void)request, (void)done, (void)bytes;
    return HALO_ERR_TRANSPORT;
}
static halo_status cancel(halo_transport *transport, halo_request *request, int32_t *done) {
    (void)transport, (void)request, (void)done;
    return HALO_ERR_TRANSPORT;
}
#ifdef WITHOUT_PROBE
#define probe_it NULL
#else
static halo_status probe_it(halo_transport *transport, int32_t peer, int32_t lane, int32_t tag, int32_t *found, size_t *bytes,
                            halo_matched *message) {
    (void)transport, (void)peer, (void)lane, (void)tag, (void)found, (void)bytes, (void)message;
    return HALO_ERR_TRANSPORT;
}
#endif
static halo_status receive_matched(halo_transport *transport, halo_matched *message, void *data, size_t capacity, halo_request *request) {
    (void)transport, (void)message, (void)data, (void)capacity, (void)request;
    return HALO_ERR_TRANSPORT;
}
static halo_status progress(halo_transport *transport) {
    (void)transport;
    return HALO_ERR_TRANSPORT;
}

static const halo_transport_ops operations = {
    OPS_BYTES, open_it, close_it, identify, open_lanes, send_it, receive_it, test_it, cancel, probe_it, receive_matched,
    progress,  NULL,    NULL,     NULL,     NULL,       NULL,    NULL,       NULL,    NULL,   NULL,
};

extern const halo_transport_plugin halo_transport_plugin_v1;
const halo_transport_plugin halo_transport_plugin_v1 = {
    ABI_MAJOR, ABI_MINOR, DESCRIPTION_BYTES, MODULE_NAME, "1.2.3", query, &operations, CAPABILITIES, 0,
};
