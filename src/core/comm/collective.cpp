// SPDX-License-Identifier: BSD-3-Clause
#include "comm/collective.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/combine.h"
#include "base/types.h"
#include "comm/collective_stream.h"

namespace halo {

namespace {

// From this size on nobody sends more than twice: the root of a binomial tree sends once for each of its levels.
constexpr size_t large_bytes = 4096;

// Binary tree.
template <class Absolute>
void broadcast_large(Collective &collective, int64_t size, int64_t place, const Absolute &absolute, void *data, size_t bytes) {
    if (place > 0) collective.receive(absolute((place - 1) / 2), 0, data, bytes);
    for (int64_t child = 2 * place + 1; child <= 2 * place + 2 && child < size; ++child) collective.send(absolute(child), 0, data, bytes);
}

// Binomial tree.
template <class Absolute>
void broadcast_small(Collective &collective, int64_t size, int64_t place, const Absolute &absolute, void *data, size_t bytes) {
    int64_t step = 1;
    while (step < size && (place & step) == 0) step *= 2;
    if (place > 0) collective.receive(absolute(place - step), 0, data, bytes);
    for (step /= 2; step >= 1; step /= 2)
        if (place + step < size) collective.send(absolute(place + step), 0, data, bytes);
}

} // namespace

// Dissemination: in round k every rank tells the one 2^k above it and hears the one 2^k below.
void barrier(Context &context) {
    const int32_t rank = context.rank();
    const int32_t size = context.size();
    Collective collective(context, CollectiveKind::barrier, 0);
    for (int32_t step = 1; step < size; step *= 2) {
        collective.send((rank + step) % size, step, {});
        collective.receive((rank - step + size) % size, step, nullptr, 0);
    }
    collective.finish();
}

// Trees over the ranks counted from the root.
void broadcast(Context &context, int32_t root, void *data, size_t bytes) {
    const int32_t size = context.size();
    const auto absolute = [&](int64_t place) { return static_cast<int32_t>((place + root) % size); };
    const int64_t place = (context.rank() - root + size) % size;
    Collective collective(context, CollectiveKind::broadcast, static_cast<uint64_t>(root));
    if (bytes >= large_bytes)
        broadcast_large(collective, size, place, absolute, data, bytes);
    else
        broadcast_small(collective, size, place, absolute, data, bytes);
    collective.finish();
}

std::string broadcast_text(Context &context, int32_t root, const std::string &text) {
    const CollectiveCall call(context, "broadcast");
    uint64_t length = text.size();
    broadcast(context, root, &length, sizeof length);
    constexpr uint64_t longest = 1 << 20;
    if (length > longest) fail(HALO_ERR_WIRE, "rank %d announces a text of %llu bytes", root, static_cast<unsigned long long>(length));
    std::string copy = context.rank() == root ? text : std::string(length, '\0');
    if (length > 0) broadcast(context, root, copy.data(), length);
    return copy;
}

void fail_together(Context &context, int32_t root, const std::optional<Error> &own, halo_status status, const std::string &what) {
    const CollectiveCall call(context, "broadcast");
    int32_t first[2] = { root, own ? own->status() : HALO_ERR_INTERNAL };
    const FirstCause *told = own ? own->first_cause() : nullptr;
    if (told) first[0] = told->rank, first[1] = told->status;
    broadcast(context, root, first, sizeof first);
    std::string text = broadcast_text(context, root, told ? told->text : own ? own->text() : "");
    context.collectives().tell_all();
    if (own) throw Error(*own);
    fail_after(status, what, { first[0], first[1], std::move(text) });
}

// Binomial tree to rank 0: each step appends the values of the ranks just above, so operands stay in the order of ranks.
static void reduce(Context &context, std::vector<std::byte> &combined, int64_t n, halo_type type, halo_op op) {
    const int32_t rank = context.rank();
    std::vector<std::byte> above(context.size() > 1 ? combined.size() : 0);
    Collective collective(context, CollectiveKind::allreduce, AllreduceDetail{ static_cast<uint64_t>(n), type, op }.packed(), combined);
    for (int32_t step = 1; step < context.size(); step *= 2) {
        if (rank & step) {
            collective.send(rank - step, 0, combined);
            break;
        }
        if (rank + step >= context.size()) continue;
        collective.receive(rank + step, 0, above.data(), above.size());
        combine(combined.data(), above.data(), n, type, op);
    }
    collective.finish();
}

void allreduce(Context &context, const void *in, void *out, int64_t n, halo_type type, halo_op op) {
    if (n > PTRDIFF_MAX / static_cast<int64_t>(type_bytes(type)))
        fail(HALO_ERR_ARGUMENT, "allreduce: %lld values of %s are more than memory can hold", static_cast<long long>(n), type_name(type));
    const size_t bytes = static_cast<size_t>(n) * type_bytes(type);
    const auto *values = static_cast<const std::byte *>(in);
    const CollectiveCall call(context, "allreduce");
    std::vector<std::byte> combined(bytes);
    if (bytes > 0) std::memcpy(combined.data(), values, bytes);
    reduce(context, combined, n, type, op);
    broadcast(context, 0, combined.data(), bytes);
    if (bytes > 0) std::memcpy(out, combined.data(), bytes);
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

// Bruck's: before round k every rank has what it and the 2^k - 1 ranks above it bring, and hands that to the one 2^k below.
void allgather(Context &context, const void *mine, size_t bytes, void *all) {
    const auto size = static_cast<size_t>(context.size()), rank = static_cast<size_t>(context.rank());
    Collective collective(context, CollectiveKind::gather, bytes, { static_cast<const std::byte *>(mine), bytes });
    std::vector<std::byte> from_mine_on(size * bytes);
    if (bytes > 0) std::memcpy(from_mine_on.data(), mine, bytes);
    for (size_t step = 1; step < size; step *= 2) {
        const size_t n = std::min(step, size - step) * bytes;
        const auto part = static_cast<int32_t>(step);
        collective.send(static_cast<int32_t>((rank + size - step) % size), part, from_mine_on.data(), n);
        collective.receive(static_cast<int32_t>((rank + step) % size), part, from_mine_on.data() + step * bytes, n);
    }
    collective.finish();
    const size_t below = rank * bytes;
    if (size * bytes == 0) return;
    std::memcpy(static_cast<std::byte *>(all) + below, from_mine_on.data(), from_mine_on.size() - below);
    std::memcpy(all, from_mine_on.data() + from_mine_on.size() - below, below);
}

// In round k every rank hands the sum of itself and the 2^k - 1 ranks below it to the one 2^k above.
int64_t exclusive_sum(Context &context, int64_t value) {
    const int32_t rank = context.rank();
    Collective collective(context, CollectiveKind::sum, 0, std::as_bytes(std::span(&value, 1)));
    int64_t sum = 0;
    for (int32_t step = 1; step < context.size(); step *= 2) {
        const int64_t told = sum + value;
        if (rank + step < context.size()) collective.send(rank + step, step, &told, sizeof told);
        int64_t heard = 0;
        if (rank >= step) collective.receive(rank - step, step, &heard, sizeof heard);
        sum += heard;
    }
    collective.finish();
    return sum;
}

} // namespace halo
