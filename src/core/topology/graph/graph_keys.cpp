// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph/graph_keys.h"

#include "comm/agree.h"

namespace halo {

GraphKeys::GraphKeys(const FoundPoints &points, Context &context) : context_(context), known_{ points.index, points.rings, points.range } {
    const auto n = static_cast<size_t>(points.n_points()), n_owned = static_cast<size_t>(points.n_owned());
    flags_.assign(n, HALO_KEY_WANT);
    std::fill_n(flags_.begin(), n_owned, points.knows_owners ? 0 : HALO_KEY_CLAIM);
    desc_.n_keys = points.n_points();
    desc_.keys = points.index.keys().data();
    desc_.flags = flags_.data();
    desc_.owner_rule = HALO_OWNER_CLAIM;
    desc_.directory = points.directory;
    if (!points.knows_owners) return;
    // A ghost of nobody's is decided by any rank, so that all agree on how many such keys there are.
    const KeyPlacement anywhere = KeyPlacement::by_hash(context.size());
    owners_.assign(n, context.rank());
    for (size_t i = n_owned; i < n; ++i) {
        const int32_t owner = points.owners[i - n_owned];
        owners_[i] = owner < 0 ? anywhere.rank_of(desc_.keys[i]) : owner;
    }
    desc_.owners = owners_.data();
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
    const KeysTopology keys(context_, desc_, &known_);
    check_claims(context_, keys);
    return keys.owners();
}

} // namespace halo
