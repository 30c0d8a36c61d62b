// SPDX-License-Identifier: BSD-3-Clause
// What a rank has to know of two lists of leaves to move values from one to the other, where it does not know them all.
#pragma once

#include <optional>
#include <vector>

#include "topology/forest/forest.h"

namespace halo {

// Leaves of a forest: those that it knows, or, where it does not know all, those near this rank's and what has been found.
class FoundLeaves {
public:
    explicit FoundLeaves(const ForestTopology &forest) : forest_(forest) {}

    void add(const std::vector<PlacedLeaf> &found);
    const ForestTopology &forest() const { return forest_; }
    const Leaves &leaves() const { return all_ ? *all_ : forest_.leaves(); }
    // Of a leaf that is known.
    int32_t rank_of(int64_t gid) const;
    std::optional<PlacedLeaf> find(const TreeBlock &block) const;

private:
    const ForestTopology &forest_;
    std::vector<PlacedLeaf> known_; // by gid
    std::optional<Leaves> all_;     // these
};

// Of two forests: in one, the leaves that have to do with this rank's of the other, that is the block itself, the one that it is a part of, and its
// parts.
class RemeshLeaves {
public:
    // `points`: what lies around blocks has to do with them, too. HALO_ERR_ARGUMENT: all leaves are known, and a block has been refined or coarsened
    // by more than one level.
    RemeshLeaves(const ForestTopology &from, const ForestTopology &to, bool points);

    bool is_known() const { return known_; }
    // Fails with that error on all ranks, where they are not known yet. Collective; blocks.
    void look_up();
    const FoundLeaves &from() const { return from_; }
    const FoundLeaves &to() const { return to_; }

private:
    void check() const;
    std::vector<TreeBlock> blocks_beside() const;

    FoundLeaves from_;
    FoundLeaves to_;
    bool points_;
    bool known_;
};

} // namespace halo
