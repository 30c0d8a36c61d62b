// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/balance.h"

#include <cstdlib>

namespace halo {

namespace {

// Is this leaf, of its parent's parts that are leaves, the first?
bool is_first_of_siblings(const Leaves &leaves, const TreeBlock &leaf) {
    const TreeBlock parent = ancestor(leaf, leaf.level - 1);
    for (int32_t number = 0; number < child_number(leaf); ++number)
        if (leaves.find(child(parent, number)) >= 0) return false;
    return true;
}

} // namespace

bool counts(int32_t balance, const ElementOffset &element) {
    const int distance = std::abs(element[0]) + std::abs(element[1]) + std::abs(element[2]);
    return distance <= (balance == HALO_BALANCE_FACES ? 1 : balance == HALO_BALANCE_EDGES ? 2 : 3);
}

// What a leaf touches outside of its parent, the parent touches: a neighbour of a refined block may not lie within a leaf of a lower level than that
// block's.
Imbalance find_imbalance(const Leaves &leaves, int32_t balance) {
    Imbalance found;
    for (int64_t gid = 0; gid < leaves.size() && found.finer < 0; ++gid) {
        if (leaves[gid].level < 2 || !is_first_of_siblings(leaves, leaves[gid])) continue;
        const TreeBlock parent = ancestor(leaves[gid], leaves[gid].level - 1);
        for_each_element(leaves.trees().n_dims(), [&](int32_t element, const ElementOffset &offset) {
            if (found.finer >= 0 || !counts(balance, offset)) return;
            const Across across = leaves.across(parent, element);
            if (across.is != Across::Is::coarser) return;
            leaves.for_each_touching(parent, offset, [&](int64_t finer) { found = { finer, element, across.gid }; });
        });
    }
    return found;
}

} // namespace halo
