// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collective.h"

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "base/combine.h"
#include "base/types.h"
#include "comm/wait.h"

namespace halo {

namespace {

template <class Done>
void wait(Context &context, const char *what, const char *way, int32_t peer, Done &&done) {
    Waiter waiter(context, context.timeout(HALO_TIMEOUT_CONFIGURED));
    const auto missing = [&] { return format("%s: message %s rank %d", what, way, peer); };
    while (!done())
        if (!waiter.pause(missing)) fail(HALO_TIMEOUT, "timed out after %.1f s: %s", waiter.seconds(), missing().c_str());
}

// A message of a collective. One that is still on its way when the collective fails goes on without it, with its memory.
class Sending {
public:
    Sending(Context &context, int32_t peer, const void *data, size_t bytes, const char *what)
        : context_(context),
          parcel_(std::make_unique<Parcel>()),
          what_(what) {
        const auto *begin = static_cast<const std::byte *>(data);
        parcel_->peer = peer;
        parcel_->bytes.assign(begin, begin + bytes);
        context.transport().send(peer, 0, collective_tag, parcel_->bytes.data(), bytes, parcel_->request);
        parcel_->in_flight = true;
    }
    ~Sending() {
        if (!parcel_->in_flight) return;
        parcel_->abandoned = true;
        context_.linger(std::move(parcel_));
    }
    Sending(const Sending &) = delete;
    Sending &operator=(const Sending &) = delete;

    void finish() {
        wait(context_, what_, "to", parcel_->peer, [&] { return context_.transport().test(parcel_->request, parcel_->peer); });
        parcel_->in_flight = false;
    }

private:
    Context &context_;
    std::unique_ptr<Parcel> parcel_;
    const char *what_;
};

void send_wait(Context &context, int32_t peer, const void *data, size_t bytes, const char *what) {
    Sending(context, peer, data, bytes, what).finish();
}

// Memory and request go with the call: nothing stays posted.
void receive_wait(Context &context, int32_t peer, void *data, size_t bytes, const char *what) {
    halo_request request;
    context.transport().receive(peer, 0, collective_tag, data, bytes, request);
    bool tested = false; // by a test that failed: the receive has ended
    try {
        wait(context, what, "from", peer, [&] {
            tested = true;
            const bool done = context.transport().test(request, peer);
            tested = false;
            return done;
        });
    } catch (...) {
        if (!tested) context.transport().cancel(request, peer);
        throw;
    }
}

// From this size on nobody sends more than twice: the root of a binomial tree sends once for each of its levels.
constexpr size_t large_bytes = 4096;

// Binary tree.
template <class Absolute>
void broadcast_large(Context &context, int64_t place, const Absolute &absolute, void *data, size_t bytes) {
    if (place > 0) receive_wait(context, absolute((place - 1) / 2), data, bytes, "broadcast");
    for (int64_t child = 2 * place + 1; child <= 2 * place + 2 && child < context.size(); ++child)
        send_wait(context, absolute(child), data, bytes, "broadcast");
}

} // namespace

// Dissemination: in round k every rank tells the one 2^k above it and hears the one 2^k below.
void barrier(Context &context) {
    const int32_t rank = context.rank();
    const int32_t size = context.size();
    for (int64_t step = 1; step < size; step *= 2) {
        const auto to = static_cast<int32_t>((rank + step) % size);
        const auto from = static_cast<int32_t>((rank - step + size) % size);
        const char token = 0;
        char heard = 0;
        Sending sending(context, to, &token, 1, "barrier");
        receive_wait(context, from, &heard, 1, "barrier");
        sending.finish();
    }
}

// Binomial tree over the ranks counted from the root; for much data another.
void broadcast(Context &context, int32_t root, void *data, size_t bytes) {
    const int32_t size = context.size();
    const auto absolute = [&](int64_t place) { return static_cast<int32_t>((place + root) % size); };
    const int64_t place = (context.rank() - root + size) % size;
    if (bytes >= large_bytes) return broadcast_large(context, place, absolute, data, bytes);
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
    if (bytes == 0) return;
    const int32_t rank = context.rank();
    std::vector<std::byte> combined(static_cast<const std::byte *>(in), static_cast<const std::byte *>(in) + bytes);
    std::vector<std::byte> above(context.size() > 1 ? bytes : 0);
    for (int64_t step = 1; step < context.size(); step *= 2) {
        if (rank & step) {
            send_wait(context, static_cast<int32_t>(rank - step), combined.data(), bytes, "allreduce");
            break;
        }
        if (rank + step < context.size()) {
            receive_wait(context, static_cast<int32_t>(rank + step), above.data(), bytes, "allreduce");
            combine(combined.data(), above.data(), n, type, op);
        }
    }
    broadcast(context, 0, combined.data(), bytes);
    std::memcpy(out, combined.data(), bytes);
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

// In round k every rank hands the sum of itself and the 2^k - 1 ranks below it to the one 2^k above.
int64_t exclusive_sum(Context &context, int64_t value) {
    const int64_t rank = context.rank();
    int64_t sum = 0;
    for (int64_t step = 1; step < context.size(); step *= 2) {
        const int64_t told = sum + value;
        std::optional<Sending> sending;
        if (rank + step < context.size()) sending.emplace(context, static_cast<int32_t>(rank + step), &told, sizeof told, "sum");
        int64_t heard = 0;
        if (rank >= step) receive_wait(context, static_cast<int32_t>(rank - step), &heard, sizeof heard, "sum");
        if (sending) sending->finish();
        sum += heard;
    }
    return sum;
}

} // namespace halo
