// SPDX-License-Identifier: BSD-3-Clause
// The UCX of this process: which it is, whether it can be used, its functions. The module is not linked with it, so that it brings none where there
// is one.
#pragma once

#include <ucp/api/ucp.h>

#include <string>

#include "halo_plugin.h"

namespace halo::ucx {

// UCX's functions, by their names without "ucp_".
struct Functions {
    decltype(&ucp_config_read) config_read = nullptr;
    decltype(&ucp_config_release) config_release = nullptr;
    decltype(&ucp_init_version) init_version = nullptr;
    decltype(&ucp_cleanup) cleanup = nullptr;
    decltype(&ucp_context_query) context_query = nullptr;
    decltype(&ucp_get_version) get_version = nullptr;
    decltype(&ucp_get_version_string) get_version_string = nullptr;
    decltype(&ucp_worker_create) worker_create = nullptr;
    decltype(&ucp_worker_destroy) worker_destroy = nullptr;
    decltype(&ucp_worker_get_address) worker_get_address = nullptr;
    decltype(&ucp_worker_release_address) worker_release_address = nullptr;
    decltype(&ucp_worker_progress) worker_progress = nullptr;
    decltype(&ucp_worker_flush_nbx) worker_flush_nbx = nullptr;
    decltype(&ucp_ep_create) ep_create = nullptr;
    decltype(&ucp_tag_send_nbx) tag_send_nbx = nullptr;
    decltype(&ucp_tag_recv_nbx) tag_recv_nbx = nullptr;
    decltype(&ucp_tag_msg_recv_nbx) tag_msg_recv_nbx = nullptr;
    decltype(&ucp_tag_probe_nb) tag_probe_nb = nullptr;
    decltype(&ucp_tag_recv_request_test) tag_recv_request_test = nullptr;
    decltype(&ucp_request_check_status) request_check_status = nullptr;
    decltype(&ucp_request_cancel) request_cancel = nullptr;
    decltype(&ucp_request_free) request_free = nullptr;
    decltype(&ucs_status_string) status_string = nullptr;
};

// Set once UCX has been found usable.
inline constinit Functions ucp;

// Finds UCX, or loads it; `text` says which it is, or why it cannot be used. Any time, cheap but for the first call.
bool usable(std::string &text);

} // namespace halo::ucx
