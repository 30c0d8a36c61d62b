// SPDX-License-Identifier: BSD-3-Clause
#include "topology/agree.h"

#include <optional>

namespace halo {

void agree_on(Context &context, const char *what, const std::function<uint64_t()> &describe, const std::function<Terms()> &terms) {
    std::optional<Error> wrong;
    int64_t mine = 0;
    try {
        mine = static_cast<int64_t>(describe() >> 1);
    } catch (...) {
        wrong = present_error();
    }
    int64_t most[3] = { wrong ? INT64_MIN : mine, wrong ? INT64_MIN : -mine, wrong ? context.rank() : -1 };
    allreduce(context, most, most, 3, HALO_INT64, HALO_MAX);
    if (wrong) throw Error(*wrong);
    if (most[2] >= 0) fail(HALO_ERR_PEER, "%s: rank %lld has refused its description", what, static_cast<long long>(most[2]));
    if (most[0] != -most[1]) name_difference(context, what, terms());
}

void together(Context &context, const char *what, const std::function<void()> &work) {
    const auto nothing = [&] {
        work();
        return uint64_t{ 0 };
    };
    agree_on(context, what, nothing, [] { return Terms(); });
}

// The largest rank whose run starts at or before the gid.
int32_t even_owner(int64_t gid, int64_t n, int32_t n_ranks) { return static_cast<int32_t>((static_cast<__int128>(gid + 1) * n_ranks - 1) / n); }

} // namespace halo
