// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collective.h"

#include <cstring>
#include <vector>

#include "base/types.h"
#include "comm/wait.h"

namespace halo {

namespace {

enum class Way : uint8_t { to, from };

void wait_for(Context &context, halo_request &request, int32_t peer, Way way, const char *what) {
    Waiter waiter(context, context.timeout(HALO_TIMEOUT_CONFIGURED));
    const auto missing = [&] { return format("%s: message %s rank %d", what, way == Way::to ? "to" : "from", peer); };
    while (!context.transport().test(request, peer)) {
        if (waiter.pause(missing)) continue;
        if (way == Way::from) context.transport().cancel(request, peer); // its memory goes with this call
        fail(HALO_TIMEOUT, "timed out after %.1f s: %s", waiter.seconds(), missing().c_str());
    }
}

void send_wait(Context &context, int32_t peer, const void *data, size_t bytes, const char *what) {
    halo_request request;
    context.transport().send(peer, 0, collective_tag, data, bytes, request);
    wait_for(context, request, peer, Way::to, what);
}

void receive_wait(Context &context, int32_t peer, void *data, size_t bytes, const char *what) {
    halo_request request;
    context.transport().receive(peer, 0, collective_tag, data, bytes, request);
    wait_for(context, request, peer, Way::from, what);
}

} // namespace

// Dissemination: in round k every rank tells the one 2^k above it and hears the one 2^k below.
void barrier(Context &context) {
    const int32_t rank = context.rank();
    const int32_t size = context.size();
    for (int64_t step = 1; step < size; step *= 2) {
        const auto to = static_cast<int32_t>((rank + step) % size);
        const auto from = static_cast<int32_t>((rank - step + size) % size);
        char token = 0;
        char heard = 0;
        halo_request sending;
        context.transport().send(to, 0, collective_tag, &token, 1, sending);
        receive_wait(context, from, &heard, 1, "barrier");
        wait_for(context, sending, to, Way::to, "barrier");
    }
}

// Binomial tree over the ranks counted from the root.
void broadcast(Context &context, int32_t root, void *data, size_t bytes) {
    const int32_t size = context.size();
    const auto absolute = [&](int64_t place) { return static_cast<int32_t>((place + root) % size); };
    const int64_t place = (context.rank() - root + size) % size;
    int64_t step = 1;
    for (; step < size; step *= 2)
        if (place & step) {
            receive_wait(context, absolute(place - step), data, bytes, "broadcast");
            break;
        }
    for (step /= 2; step >= 1; step /= 2)
        if (place + step < size) send_wait(context, absolute(place + step), data, bytes, "broadcast");
}

std::string broadcast_text(Context &context, int32_t root, const std::string &text) {
    uint64_t length = text.size();
    broadcast(context, root, &length, sizeof length);
    std::string copy = context.rank() == root ? text : std::string(length, '\0');
    if (length > 0) broadcast(context, root, copy.data(), length);
    return copy;
}

// Binomial tree to rank 0: each step appends the values of the ranks just above, so operands stay in the order of ranks.
void allreduce(Context &context, const void *in, void *out, int64_t n, halo_type type, halo_op op) {
    const size_t bytes = static_cast<size_t>(n) * type_bytes(type);
    if (in != out && bytes > 0) std::memmove(out, in, bytes);
    const int32_t rank = context.rank();
    std::vector<char> above(context.size() > 1 ? bytes : 0);
    for (int64_t step = 1; step < context.size(); step *= 2) {
        if (rank & step) {
            send_wait(context, static_cast<int32_t>(rank - step), out, bytes, "allreduce");
            break;
        }
        if (rank + step < context.size()) {
            receive_wait(context, static_cast<int32_t>(rank + step), above.data(), bytes, "allreduce");
            combine(out, above.data(), n, type, op);
        }
    }
    broadcast(context, 0, out, bytes);
}

namespace {

int64_t allreduce_one(Context &context, int64_t value, halo_op op) {
    allreduce(context, &value, &value, 1, HALO_INT64, op);
    return value;
}

} // namespace

int64_t allreduce_min(Context &context, int64_t value) { return allreduce_one(context, value, HALO_MIN); }

int64_t allreduce_max(Context &context, int64_t value) { return allreduce_one(context, value, HALO_MAX); }

int64_t allreduce_sum(Context &context, int64_t value) { return allreduce_one(context, value, HALO_SUM); }

} // namespace halo
