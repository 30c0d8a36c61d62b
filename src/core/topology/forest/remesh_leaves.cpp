// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/remesh_leaves.h"

#include <algorithm>

#include "comm/agree.h"
#include "topology/forest/remesh_edges.h"

namespace halo {

namespace {

// To learn which leaf is a block, or has it in it up to three levels above.
void ask_above(TreeBlock block, std::vector<TreeBlock> &asked) {
    for (int up = 0; up < 3 && block.level >= 0; ++up) asked.push_back(block = parent_of(block));
}

template <class Visit>
void for_each_beside(const Trees &trees, const TreeBlock &block, Visit &&visit) {
    for_each_element(trees.n_dims(), [&](int32_t, const ElementOffset &offset) {
        TreeBlock there;
        AxisMap map;
        if (trees.neighbour(block, offset, there, map)) visit(there);
    });
}

std::vector<TreeBlock> own_blocks(const ForestTopology &forest) {
    std::vector<TreeBlock> blocks;
    for (const int64_t gid : forest.local_parts()) blocks.push_back(forest.leaf(gid));
    return blocks;
}

} // namespace

void FoundLeaves::add(const std::vector<PlacedLeaf> &found) {
    if (!forest_.is_distributed()) return;
    known_.insert(known_.end(), found.begin(), found.end());
    if (!all_)
        for (const int64_t gid : forest_.near()) known_.push_back({ gid, forest_.owner(gid), forest_.leaf(gid) });
    const auto same = [](const PlacedLeaf &a, const PlacedLeaf &b) { return a.gid == b.gid; };
    std::ranges::sort(known_, {}, &PlacedLeaf::gid);
    known_.erase(std::unique(known_.begin(), known_.end(), same), known_.end());
    all_.emplace(forest_.leaves().trees(), forest_.n_parts(), known_);
}

int32_t FoundLeaves::rank_of(int64_t gid) const {
    return all_ ? std::ranges::lower_bound(known_, gid, {}, &PlacedLeaf::gid)->rank : forest_.owner(gid);
}

std::optional<PlacedLeaf> FoundLeaves::find(const TreeBlock &block) const {
    const int64_t gid = leaves().find(block);
    if (gid < 0) return std::nullopt;
    return PlacedLeaf{ gid, rank_of(gid), block };
}

RemeshLeaves::RemeshLeaves(const ForestTopology &from, const ForestTopology &to, bool points)
    : from_(from),
      to_(to),
      points_(points),
      known_(!from.is_distributed() && !to.is_distributed()) {
    if (known_) check();
}

void RemeshLeaves::check() const {
    const RemeshEdges edges(*this, 0, HALO_CENTRE_CELL);
    const ForestTopology &to = to_.forest();
    if (to.is_distributed() || from_.forest().is_distributed())
        for (const int64_t gid : to.local_parts()) edges.check(gid);
    else
        for (int64_t gid = 0; gid < to.n_parts(); ++gid) edges.check(gid);
}

// The second list's around those that this rank has of the first.
std::vector<TreeBlock> RemeshLeaves::blocks_beside() const {
    std::vector<TreeBlock> blocks;
    for (const TreeBlock &block : own_blocks(from_.forest()))
        for_each_beside(from_.leaves().trees(), block, [&](const TreeBlock &there) {
            if (to_.find(there)) blocks.push_back(there);
        });
    return blocks;
}

void RemeshLeaves::look_up() {
    if (known_) return;
    const auto look_up_in = [](FoundLeaves &leaves, std::vector<TreeBlock> asked) {
        if (leaves.forest().is_distributed()) leaves.add(leaves.forest().directory().parts_of(std::move(asked)));
    };
    const Trees &trees = from_.forest().leaves().trees();
    std::vector<TreeBlock> asked;
    for (const TreeBlock &block : own_blocks(from_.forest())) {
        asked.push_back(block);
        ask_above(block, asked);
        if (points_) for_each_beside(trees, block, [&](const TreeBlock &there) { asked.push_back(parent_of(there)); });
    }
    look_up_in(to_, std::move(asked));
    asked.clear();
    std::vector<TreeBlock> blocks = own_blocks(to_.forest());
    if (points_) {
        const std::vector<TreeBlock> beside = blocks_beside();
        blocks.insert(blocks.end(), beside.begin(), beside.end());
    }
    for (const TreeBlock &block : blocks) {
        asked.push_back(block);
        ask_above(block, asked);
        if (points_) for_each_beside(trees, block, [&](const TreeBlock &there) { ask_above(there, asked); });
    }
    look_up_in(from_, std::move(asked));
    together(to_.forest().context(), "transfer", [&] { check(); });
    known_ = true;
}

} // namespace halo
