// SPDX-License-Identifier: BSD-3-Clause
// A context of UCX with its one worker.
#pragma once

#include <ucp/api/ucp.h>

#include <cstdint>
#include <string>

namespace halo::ucx {

class Worker {
public:
    Worker() = default;
    // Destroys both, unless they are to be kept.
    ~Worker();
    Worker(const Worker &) = delete;
    Worker &operator=(const Worker &) = delete;

    // Returns why it cannot be made; "": it is there. As the user's environment says (UCX_...).
    std::string create(int32_t n_ranks);
    // UCX holds on to memory that is not its own: it stays until the process ends, and nothing progresses it any more.
    void keep() { kept_ = true; }

    ucp_worker_h handle() const { return worker_; }
    unsigned progress() const;
    // Of the module of that name, in messages; `why` says what the context has.
    bool takes_memory_of(const std::string &device, std::string &why) const;
    // Of messages: the host's, where no component knows another. Else UCX finds out, each time.
    ucs_memory_type_t memory_type() const { return memory_types_ == of_host ? UCS_MEMORY_TYPE_HOST : UCS_MEMORY_TYPE_UNKNOWN; }

private:
    static constexpr uint64_t of_host = uint64_t{ 1 } << UCS_MEMORY_TYPE_HOST;

    ucp_context_h context_ = nullptr;
    ucp_worker_h worker_ = nullptr;
    uint64_t memory_types_ = 0; // a bit for each that a component knows
    bool kept_ = false;
};

// The address of a worker, while it lives.
class WorkerAddress {
public:
    explicit WorkerAddress(const Worker &worker) : worker_(worker) {}
    ~WorkerAddress();
    WorkerAddress(const WorkerAddress &) = delete;
    WorkerAddress &operator=(const WorkerAddress &) = delete;

    // As Worker::create.
    std::string get();
    const void *data() const { return address_; }
    size_t bytes() const { return bytes_; }

private:
    const Worker &worker_;
    ucp_address_t *address_ = nullptr;
    size_t bytes_ = 0;
};

} // namespace halo::ucx
