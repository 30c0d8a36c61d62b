// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/leaves.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "base/digest.h"
#include "base/error.h"
#include "topology/curve.h"

namespace halo {

namespace {

constexpr uint32_t no_leaf = UINT32_MAX;

// Goes through blocks along the curve, and takes leaves as they come.
class Cover {
public:
    Cover(const Leaves &leaves, const std::vector<uint32_t> &order) : leaves_(leaves), order_(order) {}

    void check(const TreeBlock &block) {
        if (next_ < order_.size() && leaves_[order_[next_]] == block) {
            ++next_;
            return;
        }
        if (next_ == order_.size() || !lies_in(leaves_[order_[next_]], block))
            fail(HALO_ERR_ARGUMENT, "forest: no leaf covers block %s", text_of(block).c_str());
        for (int32_t number = 0; number < 1 << leaves_.trees().n_dims(); ++number) check(child(block, number));
    }

private:
    const Leaves &leaves_;
    const std::vector<uint32_t> &order_;
    size_t next_ = 0;
};

} // namespace

bool is_part_at(int32_t n_dims, int32_t number, const ElementOffset &element) {
    for (int d = 0; d < n_dims; ++d)
        if (element[d] != 0 && (number >> d & 1) != (element[d] > 0 ? 1 : 0)) return false;
    return true;
}

Leaves::Leaves(Trees trees, std::vector<TreeBlock> blocks)
    : trees_(std::move(trees)),
      blocks_(std::move(blocks)),
      all_known_(true),
      n_(std::ssize(blocks_)) {
    check_cover(by_curve());
    fill_table();
}

Leaves::Leaves(Trees trees, int64_t n, const std::vector<PlacedLeaf> &known) : trees_(std::move(trees)), all_known_(false), n_(n) {
    for (const PlacedLeaf &leaf : known) {
        blocks_.push_back(leaf.block);
        gids_.push_back(leaf.gid);
    }
    fill_table();
}

void Leaves::fill_table() {
    table_.assign(std::bit_ceil(2 * blocks_.size() + 1), no_leaf);
    for (size_t at = 0; at < blocks_.size(); ++at) table_[slot(blocks_[at])] = static_cast<uint32_t>(at);
}

int64_t Leaves::place(int64_t gid) const {
    if (all_known_) return gid;
    const auto found = std::lower_bound(gids_.begin(), gids_.end(), gid);
    return found != gids_.end() && *found == gid ? found - gids_.begin() : -1;
}

std::vector<uint32_t> Leaves::by_curve() const {
    std::vector<uint32_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), 0);
    const auto before = [&](uint32_t a, uint32_t b) { return comes_before(blocks_[a], blocks_[b]); };
    if (!std::is_sorted(order.begin(), order.end(), before)) std::sort(order.begin(), order.end(), before);
    return order;
}

// Along the curve a block is followed by what lies in it.
void Leaves::check_cover(const std::vector<uint32_t> &order) const {
    for (size_t i = 1; i < order.size(); ++i)
        if (const TreeBlock &outer = blocks_[order[i - 1]], &inner = blocks_[order[i]]; lies_in(inner, outer))
            fail(HALO_ERR_ARGUMENT, "forest: leaf %u, block %s, lies in leaf %u, block %s", order[i], text_of(inner).c_str(), order[i - 1],
                 text_of(outer).c_str());
    Cover cover(*this, order);
    for (int32_t tree = 0; tree < trees_.size(); ++tree) {
        const Extent &roots = trees_.n_roots(tree);
        for (int64_t root = 0; root < roots[0] * roots[1] * roots[2]; ++root) cover.check({ tree, 0, morton_coordinates(root, roots) });
    }
}

// Of a block that is a leaf, or the empty one where it would be.
size_t Leaves::slot(const TreeBlock &block) const {
    constexpr std::array<uint64_t, 3> weights{ 0x9e3779b97f4a7c15u, 0xd6e8feb86659fd93u, 0x9fb21c651e98df25u };
    uint64_t hash = static_cast<uint64_t>(static_cast<uint32_t>(block.tree)) << 32 | static_cast<uint32_t>(block.level);
    for (size_t d = 0; d < 3; ++d) hash += static_cast<uint64_t>(block.at[d]) * weights[d];
    const size_t mask = table_.size() - 1;
    size_t at = Digest::mix(hash) & mask;
    while (table_[at] != no_leaf && blocks_[table_[at]] != block) at = (at + 1) & mask;
    return at;
}

int64_t Leaves::find(const TreeBlock &block) const {
    const uint32_t place = table_[slot(block)];
    if (place == no_leaf) return -1;
    return all_known_ ? int64_t{ place } : gids_[place];
}

// What lies in the place of its block.
void Leaves::look_up(Across &found) const {
    for (int32_t level = found.block.level; level >= 0; --level)
        if (found.gid = find(ancestor(found.block, level)); found.gid >= 0) {
            found.is = level == found.block.level ? Across::Is::leaf : Across::Is::coarser;
            return;
        }
    found.is = Across::Is::finer;
}

Across Leaves::at(const TreeBlock &block) const {
    Across found;
    found.block = block;
    look_up(found);
    return found;
}

Across Leaves::across(const TreeBlock &block, int32_t element) const {
    Across found;
    if (trees_.neighbour(block, element_offset(element), found.block, found.map)) look_up(found);
    return found;
}

} // namespace halo
