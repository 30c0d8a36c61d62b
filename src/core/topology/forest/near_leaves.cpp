// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/near_leaves.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <utility>

#include "comm/agree.h"
#include "comm/collective.h"
#include "topology/forest/balance.h"

namespace halo {

namespace {

// How many levels finer, at most, what touches a leaf by an element may be.
int32_t finer_levels(int32_t balance, const ElementOffset &element) {
    const int distance = std::abs(element[0]) + std::abs(element[1]) + std::abs(element[2]);
    const int balanced = balance == HALO_BALANCE_FACES ? 1 : balance == HALO_BALANCE_EDGES ? 2 : 3;
    return std::max(1, distance - balanced + 1);
}

// Are all parts of a block that touch its element covered by leaves that are finer than it by so many levels at most?
bool is_covered(const Leaves &leaves, const TreeBlock &block, const ElementOffset &element, int32_t finer) {
    if (leaves.find(block) >= 0) return true;
    if (finer == 0) return false;
    bool all = true;
    for_each_part_at(leaves.trees().n_dims(), block, element,
                     [&](const TreeBlock &part) { all = all && is_covered(leaves, part, element, finer - 1); });
    return all;
}

// visit(element, block, element of that, which touches, and how much finer leaves there may be) of the blocks of its level around a block, if no leaf
// that is known covers them.
template <class Visit>
void for_each_gap(const Leaves &leaves, const TreeBlock &block, int32_t balance, Visit &&visit) {
    for_each_element(leaves.trees().n_dims(), [&](int32_t element, const ElementOffset &offset) {
        TreeBlock there;
        AxisMap map;
        if (!leaves.trees().neighbour(block, offset, there, map)) return;
        for (int32_t level = there.level - 1; level >= 0; --level)
            if (leaves.find(ancestor(there, level)) >= 0) return;
        const ElementOffset touching = element_offset(element_across(element, map));
        const int32_t finer = finer_levels(balance, offset);
        if (!is_covered(leaves, there, touching, finer)) visit(element, there, touching, finer);
    });
}

// A refined block and its parts, down to so many levels.
void ask_for_parts(int32_t n_dims, const TreeBlock &block, const ElementOffset &element, int32_t levels, std::vector<TreeBlock> &asked) {
    asked.push_back(block);
    if (levels > 1 && block.level < deepest_level)
        for_each_part_at(n_dims, block, element, [&](const TreeBlock &part) { ask_for_parts(n_dims, part, element, levels - 1, asked); });
}

// The blocks that these are parts of, the ones that those are parts of, and so on.
void add_all_above(std::vector<TreeBlock> blocks, std::vector<TreeBlock> &asked) {
    while (!blocks.empty()) {
        for (TreeBlock &block : blocks) block = parent_of(block);
        sort_unique(blocks);
        asked.insert(asked.end(), blocks.begin(), blocks.end());
        std::erase_if(blocks, [](const TreeBlock &block) { return block.level < 0; });
    }
}

// Of whose parts leaves must be asked for, to know what lies around some blocks.
std::vector<TreeBlock> unknown_around(const Leaves &leaves, const std::vector<PlacedLeaf> &centres, int32_t balance) {
    std::vector<TreeBlock> asked, beside;
    for (const PlacedLeaf &centre : centres)
        for_each_gap(leaves, centre.block, balance, [&](int32_t, const TreeBlock &there, const ElementOffset &touching, int32_t finer) {
            beside.push_back(there);
            ask_for_parts(leaves.trees().n_dims(), there, touching, finer, asked);
        });
    add_all_above(std::move(beside), asked);
    return asked;
}

void add_all_above(const std::vector<PlacedLeaf> &leaves, std::vector<TreeBlock> &asked) {
    std::vector<TreeBlock> blocks;
    for (const PlacedLeaf &leaf : leaves) blocks.push_back(leaf.block);
    add_all_above(std::move(blocks), asked);
}

// What is known of other ranks' leaves, and what of it cannot be.
class Known {
public:
    explicit Known(std::vector<PlacedLeaf> own) : leaves_(std::move(own)) { sort(); }

    void add(const std::vector<PlacedLeaf> &found) {
        leaves_.insert(leaves_.end(), found.begin(), found.end());
        sort();
    }
    // Ascending by gid.
    const std::vector<PlacedLeaf> &leaves() const { return leaves_; }
    // Two that are one block.
    const std::optional<std::pair<PlacedLeaf, PlacedLeaf>> &twice() const { return twice_; }

private:
    void sort() {
        const auto block_of = [](const PlacedLeaf &leaf) { return std::tie(leaf.block.tree, leaf.block.level, leaf.block.at); };
        std::ranges::sort(leaves_,
                          [&](const PlacedLeaf &a, const PlacedLeaf &b) { return std::tuple(block_of(a), a.gid) < std::tuple(block_of(b), b.gid); });
        for (size_t i = 1; i < leaves_.size() && !twice_; ++i)
            if (leaves_[i - 1].block == leaves_[i].block && leaves_[i - 1].gid != leaves_[i].gid) twice_.emplace(leaves_[i - 1], leaves_[i]);
        const auto same_block = [](const PlacedLeaf &a, const PlacedLeaf &b) { return a.block == b.block; };
        leaves_.erase(std::unique(leaves_.begin(), leaves_.end(), same_block), leaves_.end());
        std::ranges::sort(leaves_, {}, &PlacedLeaf::gid);
    }

    std::vector<PlacedLeaf> leaves_;
    std::optional<std::pair<PlacedLeaf, PlacedLeaf>> twice_;
};

[[noreturn]] void refuse_overlap(const PlacedLeaf &inner, const PlacedLeaf &outer) {
    fail(HALO_ERR_ARGUMENT, "forest: leaf %lld of rank %d, block %s, lies in leaf %lld of rank %d, block %s", static_cast<long long>(inner.gid),
         inner.rank, text_of(inner.block).c_str(), static_cast<long long>(outer.gid), outer.rank, text_of(outer.block).c_str());
}

void check_overlap(const Known &known, const Leaves &leaves, const std::vector<PlacedLeaf> &own) {
    if (known.twice()) refuse_overlap(known.twice()->second, known.twice()->first);
    for (const PlacedLeaf &leaf : own)
        for (int32_t level = 0; level < leaf.block.level; ++level)
            if (const int64_t outer = leaves.find(ancestor(leaf.block, level)); outer >= 0)
                refuse_overlap(leaf, *std::ranges::lower_bound(known.leaves(), outer, {}, &PlacedLeaf::gid));
}

void check_around(const Leaves &leaves, const PlacedLeaf &leaf, int32_t balance) {
    const std::string what = format("leaf %lld, block %s", static_cast<long long>(leaf.gid), text_of(leaf.block).c_str());
    for_each_element(leaves.trees().n_dims(), [&](int32_t element, const ElementOffset &offset) {
        if (!counts(balance, offset)) return;
        const Across across = leaves.across(leaf.block, element);
        if (across.is == Across::Is::coarser && leaves[across.gid].level < leaf.block.level - 1)
            fail(HALO_ERR_ARGUMENT, "forest: %s, touches leaf %lld, block %s, across its %s: their levels differ by more than one", what.c_str(),
                 static_cast<long long>(across.gid), text_of(leaves[across.gid]).c_str(), element_name(element).c_str());
    });
    for_each_gap(leaves, leaf.block, balance, [&](int32_t element, const TreeBlock &there, const ElementOffset &, int32_t) {
        fail(HALO_ERR_ARGUMENT, "forest: across the %s of %s, no leaf covers block %s, or some are finer than the balance lets them be",
             element_name(element).c_str(), what.c_str(), text_of(there).c_str());
    });
}

// Leaves that do not overlap cover all if they have the volume of all: those of the finest level make whole blocks of the next one, and so on.
void check_volume(Context &context, const Trees &trees, const std::vector<PlacedLeaf> &own) {
    std::array<int64_t, deepest_level + 1> n{};
    for (const PlacedLeaf &leaf : own) ++n[static_cast<size_t>(leaf.block.level)];
    allreduce(context, n.data(), n.data(), std::ssize(n), HALO_INT64, HALO_SUM);
    const int64_t parts = int64_t{ 1 } << trees.n_dims();
    bool whole = true;
    for (size_t level = deepest_level; level > 0; --level) {
        whole = whole && n[level] % parts == 0;
        n[level - 1] += n[level] / parts;
    }
    int64_t n_roots = 0;
    for (int32_t tree = 0; tree < trees.size(); ++tree) n_roots += trees.n_roots(tree)[0] * trees.n_roots(tree)[1] * trees.n_roots(tree)[2];
    if (!whole || n[0] != n_roots)
        fail(HALO_ERR_ARGUMENT, "forest: the leaves of all ranks do not cover all trees: they make up %lld of %lld root blocks",
             static_cast<long long>(n[0]), static_cast<long long>(n_roots));
}

// Leaves of others that touch a rank's own.
std::vector<PlacedLeaf> touching(const Known &known, const Leaves &leaves, const std::vector<PlacedLeaf> &own, int32_t rank) {
    std::vector<int64_t> gids;
    for (const PlacedLeaf &leaf : own) leaves.for_each_around(leaf.block, [&](int32_t, const AxisMap &, int64_t gid) { gids.push_back(gid); });
    std::ranges::sort(gids);
    gids.erase(std::unique(gids.begin(), gids.end()), gids.end());
    std::vector<PlacedLeaf> others;
    for (const int64_t gid : gids)
        if (const PlacedLeaf &leaf = *std::ranges::lower_bound(known.leaves(), gid, {}, &PlacedLeaf::gid); leaf.rank != rank) others.push_back(leaf);
    return others;
}

} // namespace

std::vector<PlacedLeaf> find_near_leaves(Context &context, const LeafDirectory &directory, const Trees &trees, int32_t balance, int64_t n,
                                         const std::vector<PlacedLeaf> &own) {
    Known known(own);
    std::vector<TreeBlock> asked = unknown_around(Leaves(trees, n, known.leaves()), own, balance);
    add_all_above(own, asked); // does a leaf lie in another?
    known.add(directory.parts_of(std::move(asked)));
    const Leaves leaves(trees, n, known.leaves());
    together(context, "forest", [&] {
        check_overlap(known, leaves, own);
        for (const PlacedLeaf &leaf : own) check_around(leaves, leaf, balance);
    });
    check_volume(context, trees, own);
    known.add(directory.parts_of(unknown_around(leaves, touching(known, leaves, own, context.rank()), balance)));
    return known.leaves();
}

} // namespace halo
