// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/ballot.h"

namespace halo {

int32_t Ballot::winner(uint32_t entity) const {
    Votes best;
    for_each(entity, [&](Votes votes) {
        if (votes.n > best.n || (votes.n == best.n && votes.rank < best.rank)) best = votes;
    });
    return best.rank;
}

} // namespace halo
