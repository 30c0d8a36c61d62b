// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/register.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/error.h"
#include "base/limits.h"

namespace halo {

void Register::note(const Delivery &claims) {
    for (const Claim &claim : from_bytes<Claim>(claims.bytes)) {
        const bool is_question = claim.rank == Ballot::nobody && claim.votes == 0;
        if (!is_question && (claim.rank < 0 || claim.rank >= n_ranks_ || claim.votes < 0 || claim.votes > limits::graph_entries))
            fail(HALO_ERR_WIRE, "mesh: rank %d claims a key for rank %lld with %lld votes", claims.rank, static_cast<long long>(claim.rank),
                 static_cast<long long>(claim.votes));
        const uint32_t entry = index_.add(claim.key).first;
        wanted_.resize(keys().size(), Ballot::nobody);
        bringer_.resize(keys().size(), Ballot::nobody);
        ballot_.resize(keys().size());
        if (claim.votes > 0)
            vote(entry, { static_cast<int32_t>(claim.rank), claim.votes });
        else if (!is_question)
            bring(entry, static_cast<int32_t>(claim.rank), claims.rank);
    }
}

void Register::bring(uint32_t entry, int32_t wanted, int32_t by) {
    if (bringer_[entry] != Ballot::nobody)
        fail(HALO_ERR_ARGUMENT, "mesh: set %s: entity %llu is brought by ranks %d and %d", set_.name.c_str(),
             static_cast<unsigned long long>(keys()[entry]), std::min(by, bringer_[entry]), std::max(by, bringer_[entry]));
    bringer_[entry] = by;
    wanted_[entry] = wanted;
}

// Rows start at what somebody brings.
int32_t Register::owner(uint32_t entry) const {
    if (bringer_[entry] == Ballot::nobody && !set_.may_be_implied()) return Ballot::nobody;
    return ballot_.has_votes(entry) ? ballot_.winner(entry) : wanted_[entry];
}

std::vector<int32_t> Register::answers(const Delivery &claims) const {
    std::vector<int32_t> owners;
    for (const Claim &claim : from_bytes<Claim>(claims.bytes)) owners.push_back(owner(index_.find(claim.key)));
    return owners;
}

} // namespace halo
