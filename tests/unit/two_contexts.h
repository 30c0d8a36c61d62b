// SPDX-License-Identifier: BSD-3-Clause
// Two ranks of this process. The one under test is rank 0; what comes to it from rank 1 is made by hand.
#pragma once

#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "comm/context.h"
#include "inproc_context.h"

namespace halo {

struct TwoContexts {
    std::unique_ptr<Context> contexts[2];

    TwoContexts() : group_(create_inproc_group(2)) {
        const auto open = [&](int32_t rank) { contexts[rank] = open_context(group_, rank); };
        std::thread other(open, 1);
        open(0);
        other.join();
    }
    ~TwoContexts() {
        for (auto &context : contexts) context.reset();
        destroy_inproc_group(group_);
    }
    TwoContexts(const TwoContexts &) = delete;
    TwoContexts &operator=(const TwoContexts &) = delete;
    Context &context() const { return *contexts[0]; }
    // As a run's message; `message` must stay until it has been received, if it is large.
    void send(int32_t tag, const std::vector<std::byte> &message, int32_t lane = 0) const {
        Fabric &fabric = contexts[1]->fabric();
        Request request{};
        fabric.send(0, lane, tag, message.data(), message.size(), request);
        for (int turn = 0; turn < 4 && !fabric.test(request, 0); ++turn) fabric.progress();
    }
    // Takes what has come with this tag and nobody wanted, at both ranks.
    void drain(int32_t tag, int32_t lane = 0) const {
        for (const int32_t rank : { 0, 1 }) {
            Fabric &fabric = contexts[rank]->fabric();
            size_t bytes = 0;
            for (Matched found{}; fabric.probe(1 - rank, lane, tag, bytes, found); found = {}) {
                std::vector<std::byte> message(bytes);
                Request request{};
                fabric.receive_matched(found, 1 - rank, message.data(), bytes, request);
                while (!fabric.test(request, 1 - rank)) fabric.progress();
            }
            contexts[rank]->reap();
        }
    }

private:
    halo_inproc *group_;
};

} // namespace halo
