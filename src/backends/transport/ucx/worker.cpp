// SPDX-License-Identifier: BSD-3-Clause
#include "worker.h"

#include <algorithm>

#include "library.h"
#include "wire.h"

namespace halo::ucx {

namespace {

constexpr int32_t usual_neighbours = 64; // endpoints are made to these alone, and UCX chooses wires by their number

std::string failure(const char *call, ucs_status_t status) { return std::string(call) + ": " + ucp.status_string(status); }

} // namespace

Worker::~Worker() {
    if (kept_) return;
    if (worker_ != nullptr) ucp.worker_destroy(worker_);
    if (context_ != nullptr) ucp.cleanup(context_);
}

std::string Worker::create(int32_t n_ranks) {
    ucp_config_t *config = nullptr;
    if (const ucs_status_t status = ucp.config_read(nullptr, nullptr, &config); status != UCS_OK) return failure("ucp_config_read", status);
    ucp_params_t params{};
    params.field_mask =
        UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_TAG_SENDER_MASK | UCP_PARAM_FIELD_MT_WORKERS_SHARED | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
    params.features = UCP_FEATURE_TAG;
    params.tag_sender_mask = source_mask;
    params.mt_workers_shared = 0;
    params.estimated_num_eps = static_cast<size_t>(std::min(n_ranks, usual_neighbours));
    const ucs_status_t made = ucp.init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context_);
    ucp.config_release(config);
    if (made != UCS_OK) return failure("ucp_init", made);
    ucp_context_attr_t attributes{};
    attributes.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES;
    if (const ucs_status_t status = ucp.context_query(context_, &attributes); status != UCS_OK) return failure("ucp_context_query", status);
    memory_types_ = attributes.memory_types;
    ucp_worker_params_t worker{};
    worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    worker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
    const ucs_status_t status = ucp.worker_create(context_, &worker, &worker_);
    return status == UCS_OK ? std::string() : failure("ucp_worker_create", status);
}

bool Worker::takes_memory_of(const std::string &device, std::string &why) const {
    struct Known {
        const char *device;
        ucs_memory_type_t type;
        const char *name;
    };
    constexpr Known known[] = { { "cuda", UCS_MEMORY_TYPE_CUDA, "cuda" }, { "hip", UCS_MEMORY_TYPE_ROCM, "rocm" } };
    for (const Known &one : known) {
        if (device != one.device) continue;
        const bool takes = (memory_types_ >> one.type & 1u) != 0;
        why = std::string(takes ? "a" : "no") + " component of it has memory type " + one.name;
        return takes;
    }
    why = "UCX has no such memory type";
    return false;
}

unsigned Worker::progress() const { return ucp.worker_progress(worker_); }

WorkerAddress::~WorkerAddress() {
    if (address_ != nullptr) ucp.worker_release_address(worker_.handle(), address_);
}

std::string WorkerAddress::get() {
    const ucs_status_t status = ucp.worker_get_address(worker_.handle(), &address_, &bytes_);
    return status == UCS_OK ? std::string() : failure("ucp_worker_get_address", status);
}

} // namespace halo::ucx
