// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph/graph.h"

namespace halo {

namespace {

// What halo_keys_desc points to.
struct KnownKeys {
    std::vector<int32_t> flags;
    std::vector<int32_t> owners;
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
};

// A ghost of nobody's is decided by any rank, so that all agree on how many such keys there are.
KnownKeys known_keys(const GraphPoints &points, int32_t n_ranks) {
    KnownKeys known;
    const KeyPlacement anywhere = KeyPlacement::by_hash(n_ranks);
    for (size_t i = 0; i < points.keys.size(); ++i) {
        known.flags.push_back(points.rings[i] == 0 ? 0 : HALO_KEY_WANT);
        known.owners.push_back(points.owners[i] < 0 ? anywhere.rank_of(points.keys[i]) : points.owners[i]);
    }
    known.desc.n_keys = std::ssize(points.keys);
    known.desc.keys = points.keys.data();
    known.desc.flags = known.flags.data();
    known.desc.owners = known.owners.data();
    known.desc.numbering = HALO_NUMBERING_AS_GIVEN;
    return known;
}

} // namespace

GraphTopology::GraphTopology(Context &context, const halo_graph_desc &desc) : GraphTopology(context, find_rings(context, desc)) {}

GraphTopology::GraphTopology(Context &context, GraphPoints graph)
    : KeysTopology(context, known_keys(graph, context.size()).desc),
      graph_(std::move(graph)) {}

} // namespace halo
