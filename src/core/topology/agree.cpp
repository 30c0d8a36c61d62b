// SPDX-License-Identifier: BSD-3-Clause
#include "topology/agree.h"

#include <optional>

#include "comm/collective.h"

namespace halo {

void agree_on(Context &context, const char *what, const std::function<uint64_t()> &describe) {
    std::optional<Error> wrong;
    int64_t mine = 0;
    try {
        mine = static_cast<int64_t>(describe() >> 1);
    } catch (const Error &error) {
        wrong = error;
    } catch (const std::bad_alloc &) {
        wrong = Error(HALO_ERR_MEMORY, format("%s: no memory", what));
    }
    int64_t most[3] = { wrong ? INT64_MIN : mine, wrong ? INT64_MIN : -mine, wrong ? context.rank() : -1 };
    allreduce(context, most, most, 3, HALO_INT64, HALO_MAX);
    if (wrong) throw Error(*wrong);
    if (most[2] >= 0) fail(HALO_ERR_PEER, "%s: rank %lld has refused its description", what, static_cast<long long>(most[2]));
    if (most[0] != -most[1])
        fail(HALO_ERR_MISMATCH, "%s: ranks have given different descriptions; the hash is %016llx on rank %d, %016llx on another", what,
             static_cast<unsigned long long>(mine), context.rank(), static_cast<unsigned long long>(most[0] == mine ? -most[1] : most[0]));
}

void together(Context &context, const char *what, const std::function<void()> &work) {
    agree_on(context, what, [&] {
        work();
        return uint64_t{ 0 };
    });
}

void require_same(Context &context, const char *what, int64_t value) {
    const int64_t ends[2] = { value, -value };
    int64_t found[2];
    allreduce(context, ends, found, 2, HALO_INT64, HALO_MIN);
    if (found[0] != -found[1])
        fail(HALO_ERR_MISMATCH, "%s differ between ranks: %lld here, %lld to %lld elsewhere", what, static_cast<long long>(value),
             static_cast<long long>(found[0]), static_cast<long long>(-found[1]));
}

// The largest rank whose run starts at or before the gid.
int32_t even_owner(int64_t gid, int64_t n, int32_t n_ranks) { return static_cast<int32_t>((static_cast<__int128>(gid + 1) * n_ranks - 1) / n); }

} // namespace halo
