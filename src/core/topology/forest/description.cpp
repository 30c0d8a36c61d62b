// SPDX-License-Identifier: BSD-3-Clause
#include "topology/forest/description.h"

#include <algorithm>

#include "base/checked.h"
#include "base/items.h"
#include "base/limits.h"
#include "topology/forest/balance.h"

namespace halo {

namespace {

void check_list(const char *name, int64_t n, const void *list) {
    if (n < 0 || (n > 0 && !list)) fail(HALO_ERR_ARGUMENT, "forest: %lld %s at address %p", static_cast<long long>(n), name, list);
    check_limit(format("forest: the number of %s", name).c_str(), n, limits::listed);
}

void check_cells(const halo_forest_desc &desc) {
    if (desc.n_dims < 1 || desc.n_dims > 3) fail(HALO_ERR_ARGUMENT, "forest: n_dims is %d, it must be 1, 2 or 3", desc.n_dims);
    for (int d = 0; d < desc.n_dims; ++d) {
        if (desc.n_cells[d] < 2 || desc.n_cells[d] % 2 != 0)
            fail(HALO_ERR_ARGUMENT, "forest: blocks have %lld cells along direction %d; it must be an even number, 2 or more",
                 static_cast<long long>(desc.n_cells[d]), d);
        check_limit("forest: n_cells", desc.n_cells[d], limits::part_cells);
    }
    for (int d = desc.n_dims; d < 3; ++d)
        if (desc.n_cells[d] != 0 && desc.n_cells[d] != 1)
            fail(HALO_ERR_ARGUMENT, "forest: n_cells of direction %d is %lld: with n_dims %d there are directions 0 to %d", d,
                 static_cast<long long>(desc.n_cells[d]), desc.n_dims, desc.n_dims - 1);
    if (desc.balance < HALO_BALANCE_FULL || desc.balance > HALO_BALANCE_FACES)
        fail(HALO_ERR_ARGUMENT, "forest: balance %d is none of HALO_BALANCE_...", desc.balance);
}

Extent roots_of(const halo_tree &tree, int64_t place, int32_t n_dims) {
    Extent roots{ 1, 1, 1 };
    Checked all = 1;
    for (int d = 0; d < 3; ++d) {
        const int64_t n = tree.n_roots[d];
        if (d < n_dims ? n < 1 : n != 0 && n != 1)
            fail(HALO_ERR_ARGUMENT, "forest: tree %lld has %lld roots along direction %d; it must be 1%s", static_cast<long long>(place),
                 static_cast<long long>(n), d, d < n_dims ? " or more" : "");
        if (d < n_dims) roots[d] = n;
        all = all * roots[d];
    }
    all.value(format("forest: tree %lld: the number of its roots", static_cast<long long>(place)).c_str(), limits::listed);
    return roots;
}

TreeBlock block_of(const halo_leaf &leaf, int64_t gid, const halo_forest_desc &desc, const Trees &trees) {
    const auto number = static_cast<long long>(gid);
    if (leaf.tree < 0 || leaf.tree >= trees.size())
        fail(HALO_ERR_ARGUMENT, "forest: leaf %lld is of tree %d; there are %d trees", number, leaf.tree, trees.size());
    if (leaf.level < 0 || leaf.level > deepest_level)
        fail(HALO_ERR_ARGUMENT, "forest: leaf %lld is of level %d; there are levels 0 to %d", number, leaf.level, deepest_level);
    const TreeBlock block{ leaf.tree, leaf.level, { leaf.at[0], leaf.at[1], leaf.at[2] } };
    const Extent &roots = trees.n_roots(leaf.tree);
    for (int d = 0; d < 3; ++d) {
        const int64_t n = d < desc.n_dims ? roots[d] << leaf.level : 1;
        if (leaf.at[d] < 0 || leaf.at[d] >= n)
            fail(HALO_ERR_ARGUMENT, "forest: leaf %lld, block %s: along direction %d the tree has %lld blocks of this level", number,
                 text_of(block).c_str(), d, static_cast<long long>(n));
        if (d < desc.n_dims && n > limits::coordinate / desc.n_cells[d])
            fail(HALO_ERR_LIMIT, "forest: leaf %lld, block %s: along direction %d the cells of its tree exceed %lld", number, text_of(block).c_str(),
                 d, static_cast<long long>(limits::coordinate));
    }
    return block;
}

} // namespace

Trees read_trees(const halo_forest_desc &desc) {
    check_cells(desc);
    check_list("trees", desc.n_trees, desc.trees);
    check_list("joins", desc.n_joins, desc.joins);
    std::vector<Extent> roots;
    for (int32_t tree = 0; tree < desc.n_trees; ++tree)
        roots.push_back(roots_of(read_item(desc.trees, desc.tree_bytes, tree, halo_tree HALO_TREE_INIT), tree, desc.n_dims));
    Trees trees(desc.n_dims, std::move(roots));
    Extent n_cells{ 1, 1, 1 };
    std::copy_n(desc.n_cells, desc.n_dims, n_cells.begin());
    for (int32_t join = 0; join < desc.n_joins; ++join)
        trees.join(read_item(desc.joins, desc.join_bytes, join, halo_tree_join HALO_TREE_JOIN_INIT), join, n_cells);
    trees.find_passages();
    return trees;
}

std::vector<TreeBlock> read_blocks(const halo_forest_desc &desc, const Trees &trees) {
    check_list("leaves", desc.n_leaves, desc.leaves);
    std::vector<TreeBlock> blocks;
    blocks.reserve(static_cast<size_t>(desc.n_leaves));
    for (int64_t gid = 0; gid < desc.n_leaves; ++gid)
        blocks.push_back(block_of(read_item(desc.leaves, desc.leaf_bytes, gid, halo_leaf HALO_LEAF_INIT), gid, desc, trees));
    return blocks;
}

Leaves read_leaves(const halo_forest_desc &desc) {
    Trees trees = read_trees(desc);
    std::vector<TreeBlock> blocks = read_blocks(desc, trees);
    return { std::move(trees), std::move(blocks) };
}

void check_balance(const Leaves &leaves, int32_t balance) {
    const Imbalance found = find_imbalance(leaves, balance);
    if (found.finer >= 0)
        fail(HALO_ERR_ARGUMENT, "forest: leaf %lld, block %s, touches leaf %lld, block %s, across its %s: their levels differ by more than one",
             static_cast<long long>(found.finer), text_of(leaves[found.finer]).c_str(), static_cast<long long>(found.coarser),
             text_of(leaves[found.coarser]).c_str(), element_name(found.element).c_str());
}

} // namespace halo
