// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/remesh_leaves.h"

#include <algorithm>
#include <tuple>

#include "comm/agree.h"
#include "topology/forest/remesh_edges.h"

namespace halo {

namespace {

auto order_of(const PlacedLeaf &leaf) { return std::tuple(leaf.block.tree, leaf.block.level, leaf.block.at); }

// Leaves of a forest that are, have in them or are parts of this rank's leaves of another.
std::vector<PlacedLeaf> found_for(const ForestTopology &own, const ForestTopology &forest) {
    if (!forest.is_distributed()) return {};
    std::vector<TreeBlock> asked;
    for (const int64_t gid : own.local_parts()) {
        const TreeBlock &block = own.leaf(gid);
        asked.insert(asked.end(), { block, parent_of(block) });
        if (block.level > 0) asked.push_back(parent_of(parent_of(block)));
    }
    return forest.directory().parts_of(std::move(asked));
}

} // namespace

void FoundLeaves::add(std::vector<PlacedLeaf> found) {
    found_ = std::move(found);
    std::ranges::sort(found_, {}, order_of);
}

std::optional<PlacedLeaf> FoundLeaves::find(const TreeBlock &block) const {
    if (const int64_t gid = forest_.gid_of(block); gid >= 0) return PlacedLeaf{ gid, forest_.owner(gid), block };
    const auto place = std::ranges::lower_bound(found_, order_of({ 0, 0, block }), {}, order_of);
    if (place == found_.end() || place->block != block) return std::nullopt;
    return *place;
}

RemeshLeaves::RemeshLeaves(const ForestTopology &from, const ForestTopology &to)
    : from_(from),
      to_(to),
      known_(!from.is_distributed() && !to.is_distributed()) {
    if (known_) check();
}

void RemeshLeaves::check() const {
    const RemeshEdges edges(*this, 0);
    const ForestTopology &to = to_.forest();
    if (to.is_distributed() || from_.forest().is_distributed())
        for (const int64_t gid : to.local_parts()) edges.check(gid);
    else
        for (int64_t gid = 0; gid < to.n_parts(); ++gid) edges.check(gid);
}

void RemeshLeaves::look_up() {
    if (known_) return;
    from_.add(found_for(to_.forest(), from_.forest()));
    to_.add(found_for(from_.forest(), to_.forest()));
    together(to_.forest().context(), "transfer", [&] { check(); });
    known_ = true;
}

} // namespace halo
