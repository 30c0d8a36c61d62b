// SPDX-License-Identifier: BSD-3-Clause
// What UCX is told of the memory of messages: the module's own source, with what a context says that it knows, and the operations, seen on their way.
#include <cstdio>

#include "forked.h"
#include "harness.h"
#include "ucx/library.h"

extern "C" const halo_transport_plugin halo_transport_plugin_v1; // of the module

namespace transport_tests {
namespace {

constexpr uint64_t of_host = uint64_t{ 1 } << UCS_MEMORY_TYPE_HOST, of_cuda = uint64_t{ 1 } << UCS_MEMORY_TYPE_CUDA;

uint64_t known = 0; // that the context says
ucs_memory_type_t expected = UCS_MEMORY_TYPE_HOST;
int n_other = 0, n_operations = 0;
halo::ucx::Functions real;

ucs_status_t query(ucp_context_h context, ucp_context_attr_t *attributes) {
    const ucs_status_t status = real.context_query(context, attributes);
    attributes->memory_types = known;
    return status;
}

void look(const ucp_request_param_t *param) {
    const bool says = (param->op_attr_mask & UCP_OP_ATTR_FIELD_MEMORY_TYPE) != 0;
    n_other += (says ? param->memory_type : UCS_MEMORY_TYPE_UNKNOWN) != expected;
    ++n_operations;
}
ucs_status_ptr_t send(ucp_ep_h endpoint, const void *data, size_t bytes, ucp_tag_t tag, const ucp_request_param_t *param) {
    look(param);
    return real.tag_send_nbx(endpoint, data, bytes, tag, param);
}
ucs_status_ptr_t receive(ucp_worker_h worker, void *data, size_t bytes, ucp_tag_t tag, ucp_tag_t mask, const ucp_request_param_t *param) {
    look(param);
    return real.tag_recv_nbx(worker, data, bytes, tag, mask, param);
}
ucs_status_ptr_t receive_matched(ucp_worker_h worker, void *data, size_t bytes, ucp_tag_message_h message, const ucp_request_param_t *param) {
    look(param);
    return real.tag_msg_recv_nbx(worker, data, bytes, message, param);
}

void expect_told(uint64_t types, ucs_memory_type_t type) {
    known = types, expected = type;
    const auto body = [&](const halo_bootstrap &bootstrap) {
        try {
            char text[2048] = "";
            require(halo_transport_plugin_v1.query(nullptr, text, sizeof text) > 0, "%s", text);
            real = halo::ucx::ucp;
            halo::ucx::ucp.context_query = query;
            halo::ucx::ucp.tag_send_nbx = send;
            halo::ucx::ucp.tag_recv_nbx = receive;
            halo::ucx::ucp.tag_msg_recv_nbx = receive_matched;
            Rank r(halo_transport_plugin_v1, { sizeof(halo_transport_params), nullptr, 0, nullptr, -1, 0, &bootstrap });
            const int32_t peer = 1 - r.rank;
            r.meet(peer);
            const Bytes sent = payload(r.rank, peer, 1, 1000);
            halo_request request{};
            r.send(peer, 1, sent, request);
            size_t bytes = 0;
            halo_matched matched{};
            r.wait_for_message(peer, 1, bytes, matched);
            Bytes data(bytes);
            halo_request receiving{};
            r.receive_matched(matched, data, receiving);
            check_payload(data, r.wait(receiving), peer, r.rank, 1);
            r.wait(request);
            r.close();
            require(n_operations >= 4 && n_other == 0, "%d of %d operations say another type", n_other, n_operations);
            return 0;
        } catch (const Stop &stop) {
            std::fprintf(stderr, "rank %d: %s\n", bootstrap.rank, stop.text.c_str());
            return 1;
        }
    };
    for (const int status : run_forked(2, body)) EXPECT_EQ(failure_of(status), "");
}

TEST(UcxMemory, IsTheHostsWhereNothingElseIsKnown) { expect_told(of_host, UCS_MEMORY_TYPE_HOST); }
TEST(UcxMemory, IsFoundOutWhereDevicesAreKnown) { expect_told(of_host | of_cuda, UCS_MEMORY_TYPE_UNKNOWN); }

} // namespace
} // namespace transport_tests
