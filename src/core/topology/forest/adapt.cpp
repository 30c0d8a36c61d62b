// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/adapt.h"

#include <algorithm>
#include <cmath>

#include "base/checked.h"
#include "base/limits.h"
#include "topology/curve.h"
#include "topology/forest/balance.h"

namespace halo {

namespace {

// By how many levels each leaf is to change, and what follows for others. None changes by more than one.
class Changes {
public:
    Changes(const Leaves &leaves, int32_t balance) : leaves_(leaves), balance_(balance), by_(static_cast<size_t>(leaves.size())) {}

    int32_t new_level(int64_t gid) const { return leaves_[gid].level + by_[static_cast<size_t>(gid)]; }

    // With all that are two levels coarser then.
    void refine(int64_t gid) {
        std::vector<int64_t> waiting{ gid };
        while (!waiting.empty()) {
            const int64_t next = waiting.back();
            waiting.pop_back();
            if (by_[static_cast<size_t>(next)] > 0) continue;
            if (leaves_[next].level == deepest_level)
                fail(HALO_ERR_LIMIT, "forest: leaf %lld, block %s, cannot be refined: there are levels 0 to %d", static_cast<long long>(next),
                     text_of(leaves_[next]).c_str(), deepest_level);
            by_[static_cast<size_t>(next)] = 1;
            for_each_coarser(next, [&](int64_t other) {
                if (new_level(other) < leaves_[next].level) waiting.push_back(other);
            });
        }
    }
    // What is two levels coarser already.
    void refine_around(int64_t gid) {
        for_each_coarser(gid, [&](int64_t other) {
            if (new_level(other) < leaves_[gid].level - 1) refine(other);
        });
    }
    // The parts of a block into that block, unless one that touches it would be two levels finer.
    void coarsen(const TreeBlock &parent) {
        bool fits = true;
        for_each_element(leaves_.trees().n_dims(), [&](int32_t element, const ElementOffset &offset) {
            if (!fits || !counts(balance_, offset)) return;
            const Across there = leaves_.across(parent, element);
            if (there.is != Across::Is::finer) return;
            leaves_.for_each_touching(there.block, element_offset(element_across(element, there.map)),
                                      [&](int64_t finer) { fits = fits && new_level(finer) <= parent.level + 1; });
        });
        for (int32_t number = 0; fits && number < 1 << leaves_.trees().n_dims(); ++number)
            by_[static_cast<size_t>(leaves_.find(child(parent, number)))] = -1;
    }
    std::vector<AdaptedLeaf> result() const {
        const int32_t n_parts = 1 << leaves_.trees().n_dims();
        std::vector<AdaptedLeaf> list;
        for (const uint32_t gid : leaves_.by_curve()) {
            const TreeBlock &leaf = leaves_[gid];
            if (by_[gid] == 0) list.push_back({ leaf, gid });
            if (by_[gid] < 0 && child_number(leaf) == 0) list.push_back({ ancestor(leaf, leaf.level - 1), gid });
            for (int32_t number = 0; by_[gid] > 0 && number < n_parts; ++number) list.push_back({ child(leaf, number), gid });
            check_limit("forest: the number of leaves", std::ssize(list), limits::listed);
        }
        return list;
    }

private:
    template <class Visit>
    void for_each_coarser(int64_t gid, Visit &&visit) const {
        for_each_element(leaves_.trees().n_dims(), [&](int32_t element, const ElementOffset &offset) {
            if (!counts(balance_, offset)) return;
            if (const Across there = leaves_.across(leaves_[gid], element); there.is == Across::Is::coarser) visit(there.gid);
        });
    }

    const Leaves &leaves_;
    int32_t balance_;
    std::vector<int8_t> by_;
};

// Blocks all of whose parts are leaves marked to be coarsened and stay as they are, finest first: whether one fits depends on finer ones alone.
std::vector<TreeBlock> families(const Leaves &leaves, std::span<const int32_t> marks, const Changes &changes) {
    std::vector<TreeBlock> parents;
    for (int64_t gid = 0; gid < leaves.size(); ++gid) {
        if (marks[static_cast<size_t>(gid)] != HALO_MARK_COARSEN || leaves[gid].level == 0 || child_number(leaves[gid]) != 0) continue;
        const TreeBlock parent = ancestor(leaves[gid], leaves[gid].level - 1);
        bool all = true;
        for (int32_t number = 0; all && number < 1 << leaves.trees().n_dims(); ++number) {
            const int64_t part = leaves.find(child(parent, number));
            all = part >= 0 && marks[static_cast<size_t>(part)] == HALO_MARK_COARSEN && changes.new_level(part) == leaves[part].level;
        }
        if (all) parents.push_back(parent);
    }
    std::stable_sort(parents.begin(), parents.end(), [](const TreeBlock &a, const TreeBlock &b) { return a.level > b.level; });
    return parents;
}

// Of leaves in balance.
std::vector<AdaptedLeaf> adapt_balanced(const Leaves &leaves, std::span<const int32_t> marks, int32_t balance) {
    Changes changes(leaves, balance);
    for (int64_t gid = 0; gid < std::ssize(marks); ++gid)
        if (marks[static_cast<size_t>(gid)] == HALO_MARK_REFINE) changes.refine(gid);
    if (!marks.empty())
        for (const TreeBlock &parent : families(leaves, marks, changes)) changes.coarsen(parent);
    return changes.result();
}

Leaves leaves_of(const Trees &trees, const std::vector<AdaptedLeaf> &list) {
    std::vector<TreeBlock> blocks;
    for (const AdaptedLeaf &leaf : list) blocks.push_back(leaf.block);
    return { trees, std::move(blocks) };
}

// The same list, where each comes from through the one before.
std::vector<AdaptedLeaf> through(const std::vector<AdaptedLeaf> &before, std::vector<AdaptedLeaf> list) {
    for (AdaptedLeaf &leaf : list) leaf.from = before[static_cast<size_t>(leaf.from)].from;
    return list;
}

} // namespace

std::vector<AdaptedLeaf> adapt(const Leaves &leaves, std::span<const int32_t> marks, int32_t balance) {
    if (find_imbalance(leaves, balance).finer < 0) return adapt_balanced(leaves, marks, balance);
    std::vector<AdaptedLeaf> list = adapt_balanced(leaves, {}, balance);
    Leaves balanced = leaves_of(leaves.trees(), list);
    while (find_imbalance(balanced, balance).finer >= 0) {
        Changes changes(balanced, balance);
        for (int64_t gid = 0; gid < balanced.size(); ++gid) changes.refine_around(gid);
        list = through(list, changes.result());
        balanced = leaves_of(leaves.trees(), list);
    }
    std::vector<int32_t> left; // marks of leaves that balance has not refined
    for (const AdaptedLeaf &leaf : list)
        left.push_back(!marks.empty() && leaf.block.level == leaves[leaf.from].level ? marks[static_cast<size_t>(leaf.from)] : HALO_MARK_KEEP);
    return through(list, adapt_balanced(balanced, left, balance));
}

std::vector<int32_t> place_by_weight(const std::vector<double> &weights, int32_t n_ranks) {
    const double greatest = weights.empty() ? 0 : std::ranges::max(weights);
    const int exponent = greatest > 0 ? std::ilogb(greatest) : 0;
    // Near 1, so that sums and halves are numbers. Where all are 0 they are alike.
    const auto weight = [&](size_t leaf) { return greatest > 0 ? std::ldexp(weights[leaf], -exponent) : 1; };
    double rest = 0;
    for (size_t leaf = 0; leaf < weights.size(); ++leaf) rest += weight(leaf);
    std::vector<int32_t> owners;
    owners.reserve(weights.size());
    for (int32_t rank = 0; rank < n_ranks && owners.size() < weights.size(); ++rank) {
        const int64_t left = std::ssize(weights) - std::ssize(owners);
        const int64_t most = rank == n_ranks - 1 ? left : std::max<int64_t>(1, left - (n_ranks - 1 - rank)); // the others get one each
        const double mean = rest / (n_ranks - rank);
        double mine = 0;
        for (int64_t n = 0; n < most; ++n) {
            const double next = weight(owners.size());
            if (n > 0 && rank < n_ranks - 1 && mine + next / 2 > mean) break;
            mine += next;
            owners.push_back(rank);
        }
        rest -= mine;
    }
    return owners;
}

int64_t count_uniform(const Trees &trees, int32_t level) {
    Checked all = 0;
    for (int32_t tree = 0; tree < trees.size(); ++tree) {
        Checked blocks = 1;
        for (int d = 0; d < 3; ++d) blocks = blocks * (trees.n_roots(tree)[d] << (d < trees.n_dims() ? level : 0));
        all = all + blocks;
    }
    return all.value("forest: the number of leaves", limits::listed);
}

std::vector<TreeBlock> uniform_leaves(const Trees &trees, int32_t level) {
    std::vector<TreeBlock> list;
    list.reserve(static_cast<size_t>(count_uniform(trees, level)));
    for (int32_t tree = 0; tree < trees.size(); ++tree) {
        Extent blocks = trees.n_roots(tree);
        for (int d = 0; d < trees.n_dims(); ++d) blocks[d] <<= level;
        for (int64_t place = 0; place < blocks[0] * blocks[1] * blocks[2]; ++place)
            list.push_back({ tree, level, morton_coordinates(place, blocks) });
    }
    return list;
}

} // namespace halo
