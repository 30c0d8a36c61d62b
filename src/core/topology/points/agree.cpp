// SPDX-License-Identifier: BSD-3-Clause
#include "topology/points/agree.h"

#include <optional>

#include "comm/collective.h"

namespace halo {

void together(Context &context, const char *what, const std::function<void()> &body) {
    std::optional<Error> mine;
    try {
        body();
    } catch (const Error &error) {
        mine = error;
    } catch (const std::bad_alloc &) {
        mine = Error(HALO_ERR_MEMORY, format("%s: no memory", what));
    }
    const int64_t first = allreduce_min(context, mine ? context.rank() : context.size());
    if (mine) throw Error(*mine);
    if (first < context.size()) fail(HALO_ERR_PEER, "%s: rank %lld failed", what, static_cast<long long>(first));
}

void require_same(Context &context, const char *what, int64_t value) {
    const int64_t ends[2] = { value, -value };
    int64_t found[2];
    allreduce(context, ends, found, 2, HALO_INT64, HALO_MIN);
    if (found[0] != -found[1])
        fail(HALO_ERR_MISMATCH, "%s differ between ranks: %lld here, %lld to %lld elsewhere", what, static_cast<long long>(value),
             static_cast<long long>(found[0]), static_cast<long long>(-found[1]));
}

} // namespace halo
