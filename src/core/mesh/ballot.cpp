// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/ballot.h"

namespace halo {

void Ballot::add(uint32_t entity, Votes votes) {
    Only &only = only_[entity];
    if ((only.n == 0 || only.rank == votes.rank) && votes.n < listed - only.n) {
        only = { votes.rank, only.n + static_cast<uint32_t>(votes.n) };
        return;
    }
    if (only.n != listed && only.n > 0) lists_[{ entity, only.rank }] = only.n;
    lists_[{ entity, votes.rank }] += votes.n;
    only = { nobody, listed };
}

void Ballot::add_each(std::span<const uint32_t> entities, uint32_t none, int32_t rank) {
    Only *const only = only_.data();
    for (const uint32_t entity : entities) {
        if (entity == none) continue;
        if (only[entity].rank == rank && only[entity].n < listed - 1)
            ++only[entity].n;
        else
            add(entity, { rank, 1 });
    }
}

int32_t Ballot::winner(uint32_t entity) const {
    Votes best;
    for_each(entity, [&](Votes votes) {
        if (votes.n > best.n || (votes.n == best.n && votes.rank < best.rank)) best = votes;
    });
    return best.rank;
}

} // namespace halo
