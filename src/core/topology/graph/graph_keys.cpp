// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph/graph_keys.h"

#include "comm/agree.h"

namespace halo {

GraphKeys::GraphKeys(const FoundPoints &points, Context &context)
    : context_(context),
      known_{ points.index, points.range, context.rank(), static_cast<size_t>(points.n_owned()), points.rings, std::nullopt } {
    desc_.n_keys = points.n_points();
    desc_.keys = points.index.keys().data();
    desc_.n_mine = points.n_owned();
    desc_.owner_rule = HALO_OWNER_CLAIM;
    desc_.directory = points.directory;
    if (!points.knows_owners) return;
    // A ghost of nobody's is decided by any rank, so that all agree on how many such keys there are.
    const KeyPlacement anywhere = KeyPlacement::by_hash(context.size());
    deciders_ = points.owners;
    for (size_t i = 0; i < deciders_.size(); ++i)
        if (deciders_[i] < 0) deciders_[i] = anywhere.rank_of(desc_.keys[known_.n_own + i]);
    known_.owners = deciders_;
}

void GraphKeys::check_claims(Context &context, const KeysTopology &topology) {
    const halo_keys_report report = topology.report();
    if (report.n_several_claim == 0) return;
    together(context, "graph", [&] {
        if (report.n_several_claim_here > 0)
            fail(HALO_ERR_ARGUMENT, "graph: key %llu is owned by rank %d and another; there are %lld such keys",
                 static_cast<unsigned long long>(report.several_claim[0]), context.rank(), static_cast<long long>(report.n_several_claim));
    });
}

std::vector<int32_t> GraphKeys::find_owners() {
    desc_.numbering = HALO_NUMBERING_AS_GIVEN;
    const KeysTopology keys(context_, desc_, known_);
    check_claims(context_, keys);
    const SharedPoints &shared = keys.shared();
    std::vector<int32_t> owners(static_cast<size_t>(desc_.n_keys) - known_.n_own, context_.rank());
    for (int64_t i = 0; i < shared.size(); ++i)
        for (const uint32_t point : shared.copies(i))
            if (point >= known_.n_own) owners[point - known_.n_own] = shared.owner(i);
    return owners;
}

} // namespace halo
