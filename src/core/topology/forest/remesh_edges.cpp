// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/remesh_edges.h"

#include <algorithm>
#include <map>

#include "topology/boxes/box_calculus.h"
#include "topology/forest/block_box.h"
#include "topology/forest/point_owners.h"

namespace halo {

namespace {

// Leaves of a list that are what a block was divided into.
template <class Visit>
void for_each_part(const FoundLeaves &leaves, const TreeBlock &block, Visit &&visit) {
    for (int32_t number = 0; number < 1 << leaves.forest().n_dims(); ++number)
        if (const auto leaf = leaves.find(child(block, number))) visit(*leaf);
}

// The leaf of a list of which a block is a part.
template <class Visit>
void for_whole(const FoundLeaves &leaves, const TreeBlock &block, Visit &&visit) {
    if (block.level == 0) return;
    if (const auto leaf = leaves.find(parent_of(block))) visit(*leaf);
}

template <class Visit>
void for_same(const FoundLeaves &leaves, const TreeBlock &block, Visit &&visit) {
    if (const auto leaf = leaves.find(block)) visit(*leaf);
}

} // namespace

RemeshEdges::RemeshEdges(const RemeshLeaves &leaves, int32_t reach, Centring centring)
    : from_(leaves.from()),
      to_(leaves.to()),
      n_dims_(to_.forest().n_dims()),
      here_(to_.forest().context().rank()),
      reach_(reach),
      centring_(centring),
      cells_(to_.forest().cells_of(0)),
      coarse_cells_(cells_) {
    for (int d = 0; d < n_dims_; ++d) coarse_cells_[d] /= 2;
}

template <class Visit>
void RemeshEdges::for_each_source(RemeshWay way, const TreeBlock &block, Visit &&visit) const {
    if (way == RemeshWay::same) return for_same(from_, block, visit);
    if (from_.leaves().find(block) >= 0) return;
    if (way == RemeshWay::merged) return for_each_part(from_, block, visit);
    for_whole(from_, block, visit);
}

template <class Visit>
void RemeshEdges::for_each_target(RemeshWay way, const TreeBlock &block, Visit &&visit) const {
    if (way == RemeshWay::same) return for_same(to_, block, visit);
    if (to_.leaves().find(block) >= 0) return;
    if (way == RemeshWay::merged) return for_whole(to_, block, visit);
    for_each_part(to_, block, visit);
}

// Both lists cover the trees: so a block comes from itself, from the one that it is a part of, or from all of its parts.
void RemeshEdges::check(int64_t gid) const {
    const TreeBlock &block = to_.forest().leaf(gid);
    int32_t n_whole = 0, n_parts = 0;
    for (const RemeshWay way : { RemeshWay::same, RemeshWay::split }) for_each_source(way, block, [&](const PlacedLeaf &) { ++n_whole; });
    for_each_source(RemeshWay::merged, block, [&](const PlacedLeaf &) { ++n_parts; });
    if (n_whole != 1 && n_parts != 1 << n_dims_)
        fail(HALO_ERR_ARGUMENT, "transfer: leaf %lld, block %s, has come about by more than one level", static_cast<long long>(gid),
             text_of(block).c_str());
}

Edge RemeshEdges::edge(const PlacedLeaf &from, const PlacedLeaf &to) const {
    Edge edge;
    edge.send_gid = from.gid;
    edge.receive_gid = to.gid;
    edge.send_rank = from.rank;
    edge.receive_rank = to.rank;
    edge.ends = ends_on(here_, edge.send_rank, edge.receive_rank);
    return edge;
}

// Of the points that two parts of a block have, the lower one's become the block's.
Edge RemeshEdges::edge(RemeshWay way, const PlacedLeaf &from, const PlacedLeaf &to) const {
    Edge edge = this->edge(from, to);
    edge.send.box = edge.receive.box = points_of(whole_block(cells_), centring_);
    if (way == RemeshWay::same) return edge;
    const TreeBlock &part = way == RemeshWay::split ? to.block : from.block;
    Extent place{};
    halo_box coarse = points_of(whole_block(coarse_cells_), centring_);
    for (int d = 0; d < n_dims_; ++d) {
        const bool is_upper = (part.at[d] & 1) != 0, on_faces = (centring_ >> d & 1) != 0;
        place[d] = is_upper ? coarse_cells_[d] : 0;
        if (way == RemeshWay::merged) {
            coarse.low[d] += is_upper && on_faces ? 1 : 0;
        } else if (!on_faces) {
            coarse.low[d] -= reach_;
            coarse.high[d] += reach_;
        }
    }
    edge.send.box = way == RemeshWay::split ? shifted(coarse, place) : coarse;
    edge.receive.box = way == RemeshWay::split ? coarse : shifted(coarse, place);
    return edge;
}

// Leaves that are parts of refined blocks, this rank's and those beside blocks that it had.
std::vector<PlacedLeaf> RemeshEdges::parts_beside() const {
    std::vector<PlacedLeaf> parts;
    const auto add = [&](const PlacedLeaf &leaf) {
        for_each_source(RemeshWay::split, leaf.block, [&](const PlacedLeaf &) { parts.push_back(leaf); });
    };
    for (const int64_t gid : to_.forest().local_parts()) add({ gid, here_, to_.forest().leaf(gid) });
    for (const int64_t gid : from_.forest().local_parts())
        for_each_element(n_dims_, [&](int32_t, const ElementOffset &offset) {
            TreeBlock there;
            AxisMap map;
            if (!to_.leaves().trees().neighbour(from_.forest().leaf(gid), offset, there, map)) return;
            if (const auto leaf = to_.find(there); leaf && leaf->rank != here_) add(*leaf);
        });
    const auto same = [](const PlacedLeaf &a, const PlacedLeaf &b) { return a.gid == b.gid; };
    std::ranges::sort(parts, {}, &PlacedLeaf::gid);
    parts.erase(std::unique(parts.begin(), parts.end(), same), parts.end());
    return parts;
}

// Points as fine as the part's, of which several blocks may have one: its owner's.
void RemeshEdges::beside(const PlacedLeaf &part, const EdgeSink &sink) const {
    std::map<std::pair<int64_t, int32_t>, int32_t> n_edges; // from a sender over one of its elements
    PointOwners(from_.leaves(), cells_, centring_).find(part.block, 13, points_of(whole_block(cells_), centring_), [&](const OwnedPoints &owned) {
        if (owned.is != Across::Is::leaf) return;
        Edge edge = this->edge({ owned.gid, from_.rank_of(owned.gid), {} }, part);
        edge.identity.element = owned.element;
        edge.identity.piece = n_edges[{ owned.gid, owned.element }]++;
        edge.send.box = owned.there;
        edge.receive.box = owned.here;
        edge.map = owned.map;
        if (edge.send_rank == here_ || edge.receive_rank == here_) sink(edge);
    });
}

void RemeshEdges::emit(RemeshWay way, const EdgeSink &sink) const {
    if (way == RemeshWay::beside) {
        if (centring_ != HALO_CENTRE_CELL)
            for (const PlacedLeaf &part : parts_beside()) beside(part, sink);
        return;
    }
    for (const int64_t gid : to_.forest().local_parts()) {
        const PlacedLeaf target{ gid, here_, to_.forest().leaf(gid) };
        for_each_source(way, target.block, [&](const PlacedLeaf &source) { sink(edge(way, source, target)); });
    }
    for (const int64_t gid : from_.forest().local_parts()) {
        const PlacedLeaf source{ gid, here_, from_.forest().leaf(gid) };
        for_each_target(way, source.block, [&](const PlacedLeaf &target) {
            if (target.rank != here_) sink(edge(way, source, target));
        });
    }
}

} // namespace halo
