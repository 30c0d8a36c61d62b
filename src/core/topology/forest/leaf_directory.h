// SPDX-License-Identifier: BSD-3-Clause
// Where ranks find leaves of others, when each knows its own alone: families, the leaves that are parts of one block, are dealt to the ranks.
#pragma once

#include <vector>

#include "comm/context.h"
#include "topology/forest/leaves.h"

namespace halo {

class LeafDirectory {
public:
    // Every rank tells of its own. Collective; blocks.
    LeafDirectory(Context &context, const std::vector<PlacedLeaf> &own);

    // The leaves that are parts of some blocks, each of which a root block may be, too, or one of level -1, whose parts are root blocks. In no
    // particular order; none twice, unless it was told of twice. Collective; blocks. O(what is asked and answered) memory.
    std::vector<PlacedLeaf> parts_of(std::vector<TreeBlock> blocks) const;

private:
    Context &context_;
    std::vector<PlacedLeaf> kept_; // by parent
};

// The block that it is a part of; of level -1 for a root block.
inline TreeBlock parent_of(const TreeBlock &block) { return ancestor(block, block.level - 1); }

// Each once.
void sort_unique(std::vector<TreeBlock> &blocks);

} // namespace halo
