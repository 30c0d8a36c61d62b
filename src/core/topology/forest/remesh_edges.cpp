// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/remesh_edges.h"

#include "topology/boxes/box_calculus.h"
#include "topology/forest/block_box.h"

namespace halo {

namespace {

// Leaves of a list that are what a block was divided into.
template <class Visit>
void for_each_part(const ForestTopology &forest, const TreeBlock &block, Visit &&visit) {
    for (int32_t number = 0; number < 1 << forest.n_dims(); ++number)
        if (const int64_t gid = forest.gid_of(child(block, number)); gid >= 0) visit(gid);
}

// The leaf of a list of which a block is a part.
template <class Visit>
void for_whole(const ForestTopology &forest, const TreeBlock &block, Visit &&visit) {
    if (block.level == 0) return;
    if (const int64_t gid = forest.gid_of(ancestor(block, block.level - 1)); gid >= 0) visit(gid);
}

template <class Visit>
void for_same(const ForestTopology &forest, const TreeBlock &block, Visit &&visit) {
    if (const int64_t gid = forest.gid_of(block); gid >= 0) visit(gid);
}

} // namespace

RemeshEdges::RemeshEdges(const ForestTopology &from, const ForestTopology &to, int32_t reach)
    : from_(from),
      to_(to),
      reach_(reach),
      coarse_cells_(to.cells_of(0)) {
    for (int d = 0; d < to.n_dims(); ++d) coarse_cells_[d] /= 2;
}

template <class Visit>
void RemeshEdges::for_each_source(RemeshWay way, const TreeBlock &block, Visit &&visit) const {
    if (way == RemeshWay::same) return for_same(from_, block, visit);
    if (way == RemeshWay::merged) return for_each_part(from_, block, visit);
    for_whole(from_, block, visit);
}

template <class Visit>
void RemeshEdges::for_each_target(RemeshWay way, const TreeBlock &block, Visit &&visit) const {
    if (way == RemeshWay::same) return for_same(to_, block, visit);
    if (way == RemeshWay::merged) return for_whole(to_, block, visit);
    for_each_part(to_, block, visit);
}

// Both lists cover the trees: so a block comes from itself, from the one that it is a part of, or from all of its parts.
void RemeshEdges::check() const {
    for (int64_t gid = 0; gid < to_.n_parts(); ++gid) {
        int32_t n_whole = 0, n_parts = 0;
        for (const RemeshWay way : { RemeshWay::same, RemeshWay::split }) for_each_source(way, to_.leaf(gid), [&](int64_t) { ++n_whole; });
        for_each_source(RemeshWay::merged, to_.leaf(gid), [&](int64_t) { ++n_parts; });
        if (n_whole != 1 && n_parts != 1 << to_.n_dims())
            fail(HALO_ERR_ARGUMENT, "transfer: leaf %lld, block %s, has come about by more than one level", static_cast<long long>(gid),
                 text_of(to_.leaf(gid)).c_str());
    }
}

Edge RemeshEdges::edge(RemeshWay way, int64_t from, int64_t to) const {
    const int32_t here = to_.context().rank();
    Edge edge;
    edge.send_gid = from;
    edge.receive_gid = to;
    edge.send_rank = from_.owner(from);
    edge.receive_rank = to_.owner(to);
    edge.ends = ends_on(here, edge.send_rank, edge.receive_rank);
    edge.send.box = edge.receive.box = whole_block(to_.cells_of(to));
    if (way == RemeshWay::same) return edge;
    const TreeBlock &part = way == RemeshWay::split ? to_.leaf(to) : from_.leaf(from);
    Extent place{};
    GhostWidths around;
    for (int d = 0; d < to_.n_dims(); ++d) {
        place[d] = (part.at[d] & 1) * coarse_cells_[d];
        around.low[d] = around.high[d] = way == RemeshWay::split ? reach_ : 0;
    }
    const halo_box coarse = grown(whole_block(coarse_cells_), around);
    edge.send.box = way == RemeshWay::split ? shifted(coarse, place) : coarse;
    edge.receive.box = way == RemeshWay::split ? coarse : shifted(coarse, place);
    return edge;
}

void RemeshEdges::emit(RemeshWay way, const EdgeSink &sink) const {
    for (const int64_t gid : to_.local_parts()) for_each_source(way, to_.leaf(gid), [&](int64_t source) { sink(edge(way, source, gid)); });
    for (const int64_t gid : from_.local_parts())
        for_each_target(way, from_.leaf(gid), [&](int64_t target) {
            if (to_.owner(target) != to_.context().rank()) sink(edge(way, gid, target));
        });
}

} // namespace halo
