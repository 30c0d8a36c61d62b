// SPDX-License-Identifier: BSD-3-Clause
#include "comm/route.h"

#include "comm/collective.h"
#include "comm/wait.h"

namespace halo {

namespace {

void wait_for(Context &context, halo_request &request, int32_t peer, bool receiving) {
    Waiter waiter(context, context.timeout(HALO_TIMEOUT_CONFIGURED));
    const auto missing = [&] { return format("set-up: message %s rank %d", receiving ? "from" : "to", peer); };
    while (!context.transport().test(request, peer)) {
        if (waiter.pause(missing)) continue;
        if (receiving) context.transport().cancel(request, peer); // its memory goes with this call
        fail(HALO_TIMEOUT, "timed out after %.1f s: %s", waiter.seconds(), missing().c_str());
    }
}

void pass_part(Context &context, int32_t to, const void *out, size_t out_bytes, int32_t from, void *in, size_t in_bytes) {
    halo_request sending;
    halo_request receiving;
    if (out_bytes > 0) context.transport().send(to, 0, collective_tag, out, out_bytes, sending);
    if (in_bytes > 0) {
        context.transport().receive(from, 0, collective_tag, in, in_bytes, receiving);
        wait_for(context, receiving, from, true);
    }
    if (out_bytes > 0) wait_for(context, sending, to, false);
}

} // namespace

std::vector<std::byte> pass_up(Context &context, int64_t step, const std::vector<std::byte> &bytes) {
    const int64_t size = context.size();
    const auto to = static_cast<int32_t>((context.rank() + step) % size);
    const auto from = static_cast<int32_t>((context.rank() - step + size) % size);
    const uint64_t out_bytes = bytes.size();
    uint64_t in_bytes = 0;
    pass_part(context, to, &out_bytes, sizeof out_bytes, from, &in_bytes, sizeof in_bytes);
    std::vector<std::byte> received(in_bytes);
    pass_part(context, to, bytes.data(), bytes.size(), from, received.data(), received.size());
    return received;
}

int64_t sum_below(Context &context, int64_t value, int64_t &total) {
    int64_t up_to_here = value;
    for (int64_t step = 1; step < context.size(); step *= 2) {
        std::vector<std::byte> bytes(sizeof up_to_here);
        std::memcpy(bytes.data(), &up_to_here, sizeof up_to_here);
        const std::vector<std::byte> below = pass_up(context, step, bytes);
        int64_t sum = 0;
        std::memcpy(&sum, below.data(), sizeof sum);
        if (context.rank() >= step) up_to_here += sum;
    }
    total = allreduce_sum(context, value);
    return up_to_here - value;
}

} // namespace halo
