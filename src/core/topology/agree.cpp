// SPDX-License-Identifier: BSD-3-Clause
#include "topology/agree.h"

#include "comm/collective.h"

namespace halo {

void agree_on(Context &context, const char *what, uint64_t hash, const Error &wrong) {
    const bool right = wrong.status() == HALO_SUCCESS;
    const auto mine = static_cast<int64_t>(hash >> 1);
    int64_t most[3] = { right ? mine : INT64_MIN, right ? -mine : INT64_MIN, right ? -1 : context.rank() };
    allreduce(context, most, most, 3, HALO_INT64, HALO_MAX);
    if (!right) throw wrong;
    if (most[2] >= 0) fail(HALO_ERR_PEER, "%s: rank %lld has given a wrong description", what, static_cast<long long>(most[2]));
    if (most[0] != -most[1])
        fail(HALO_ERR_MISMATCH, "%s: ranks have given different descriptions; the hash is %016llx on rank %d, %016llx on another", what,
             static_cast<unsigned long long>(mine), context.rank(), static_cast<unsigned long long>(most[0] == mine ? -most[1] : most[0]));
}

// The largest rank whose run starts at or before the gid.
int32_t even_owner(int64_t gid, int64_t n, int32_t n_ranks) { return static_cast<int32_t>((static_cast<__int128>(gid + 1) * n_ranks - 1) / n); }

} // namespace halo
