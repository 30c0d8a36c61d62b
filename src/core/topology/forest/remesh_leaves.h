// SPDX-License-Identifier: BSD-3-Clause
// What a rank has to know of two lists of leaves to move values from one to the other, where it does not know them all.
#pragma once

#include <optional>
#include <vector>

#include "topology/forest/forest.h"

namespace halo {

// Leaves of a forest: those that it knows, and what else has been found.
class FoundLeaves {
public:
    explicit FoundLeaves(const ForestTopology &forest) : forest_(forest) {}

    void add(std::vector<PlacedLeaf> found);
    const ForestTopology &forest() const { return forest_; }
    std::optional<PlacedLeaf> find(const TreeBlock &block) const;

private:
    const ForestTopology &forest_;
    std::vector<PlacedLeaf> found_; // by block
};

// Of two forests: in one, the leaves that have to do with this rank's of the other, that is the block itself, the one that it is a part of, and its
// parts.
class RemeshLeaves {
public:
    // HALO_ERR_ARGUMENT: all leaves are known, and a block has been refined or coarsened by more than one level.
    RemeshLeaves(const ForestTopology &from, const ForestTopology &to);

    bool is_known() const { return known_; }
    // Fails with that error on all ranks, where they are not known yet. Collective; blocks.
    void look_up();
    const FoundLeaves &from() const { return from_; }
    const FoundLeaves &to() const { return to_; }

private:
    void check() const;

    FoundLeaves from_;
    FoundLeaves to_;
    bool known_;
};

} // namespace halo
