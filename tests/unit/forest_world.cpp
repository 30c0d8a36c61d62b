// SPDX-License-Identifier: BSD-3-Clause
#include "forest_world.h"

#include <algorithm>
#include <cstdlib>

namespace halo::forest_test {

std::vector<AxisMap> all_maps(int32_t n_dims) {
    std::vector<AxisMap> maps;
    std::array<int8_t, 3> axis{ 0, 1, 2 };
    do {
        for (int signs = 0; signs < 1 << n_dims; ++signs) {
            AxisMap map{ axis, {}, {} };
            for (int d = 0; d < 3; ++d) map.sign[d] = map.vector[d] = (signs >> d & 1) != 0 ? -1 : 1;
            maps.push_back(map);
        }
    } while (std::next_permutation(axis.begin(), axis.begin() + n_dims));
    return maps;
}

World World::brick(int32_t n_dims, const Extent &n_trees, const Extent &roots, const std::vector<AxisMap> &maps, std::mt19937 &random) {
    World world;
    world.n_dims = n_dims;
    Extent at;
    for (at[2] = 0; at[2] < n_trees[2]; ++at[2])
        for (at[1] = 0; at[1] < n_trees[1]; ++at[1])
            for (at[0] = 0; at[0] < n_trees[0]; ++at[0]) {
                PlacedTree tree;
                tree.to_space = maps[random() % maps.size()];
                for (int d = 0; d < 3; ++d) {
                    tree.origin[d] = at[d] * roots[d];
                    tree.n_roots[d] = roots[tree.to_space.axis[d]];
                }
                world.trees.push_back(tree);
            }
    for (int d = 0; d < 3; ++d) world.height[d] = n_trees[d] * roots[d];
    return world;
}

std::vector<halo_tree> World::tree_list() const {
    std::vector<halo_tree> list;
    for (const PlacedTree &tree : trees) list.push_back({ { tree.n_roots[0], tree.n_roots[1], tree.n_roots[2] } });
    return list;
}

Extent World::per_root(int32_t level) const {
    Extent n{ 1, 1, 1 };
    for (int d = 0; d < n_dims; ++d) n[d] <<= level;
    return n;
}

Extent World::position(int32_t tree, const Extent &at, const Extent &per_root) const {
    const PlacedTree &placed = trees[static_cast<size_t>(tree)];
    Extent position{};
    for (int d = 0; d < 3; ++d) {
        const int axis = placed.to_space.axis[d];
        const int64_t n = placed.n_roots[d] * per_root[axis];
        position[axis] = placed.origin[axis] * per_root[axis] + (placed.to_space.sign[d] > 0 ? at[d] : n - 1 - at[d]);
    }
    return position;
}

Extent World::position(const TreeBlock &block) const { return position(block.tree, block.at, per_root(block.level)); }

std::optional<World::Found> World::find(Extent position, const Extent &per_root) const {
    bool turned = false;
    for (int d = 0; d < 3; ++d) {
        const int64_t n = period[d] * per_root[d];
        if (n == 0 || (position[d] >= 0 && position[d] < n)) continue;
        position[d] = (position[d] + n) % n;
        for (int e = 0; d == 0 && e < 3; ++e)
            if (turned_over[e]) {
                position[e] = height[e] * per_root[e] - 1 - position[e];
                turned = true;
            }
    }
    for (int32_t tree = 0; tree < std::ssize(trees); ++tree) {
        const PlacedTree &placed = trees[static_cast<size_t>(tree)];
        Extent at{};
        bool inside = true;
        for (int d = 0; d < 3; ++d) {
            const int axis = placed.to_space.axis[d];
            const int64_t n = placed.n_roots[d] * per_root[axis];
            const int64_t x = position[axis] - placed.origin[axis] * per_root[axis];
            inside = inside && x >= 0 && x < n;
            at[d] = placed.to_space.sign[d] > 0 ? x : n - 1 - x;
        }
        if (inside) return Found{ tree, at, turned };
    }
    return std::nullopt;
}

AxisMap World::map_between(int32_t from, int32_t to, bool turned) const {
    AxisMap over;
    for (int d = 0; turned && d < 3; ++d)
        if (turned_over[d]) over.sign[d] = over.vector[d] = -1;
    return trees[static_cast<size_t>(from)].to_space.then(over).then(trees[static_cast<size_t>(to)].to_space.inverse());
}

std::optional<Placed> World::across(const TreeBlock &block, int32_t element) const {
    const AxisMap &map = trees[static_cast<size_t>(block.tree)].to_space;
    const ElementOffset offset = element_offset(element);
    Extent there = position(block);
    for (int d = 0; d < 3; ++d) there[map.axis[d]] += map.sign[d] * offset[d];
    const std::optional<Found> found = find(there, per_root(block.level));
    if (!found) return std::nullopt;
    return Placed{ { found->tree, block.level, found->at }, map_between(block.tree, found->tree, found->turned) };
}

// A side at a time: the middle of what lies behind it is looked up with the tree's lowest root there.
std::vector<halo_tree_join> World::joins() const {
    std::vector<halo_tree_join> list;
    std::vector<std::array<bool, 6>> joined(trees.size());
    for (int32_t tree = 0; tree < std::ssize(trees); ++tree)
        for (int32_t side = 0; side < 2 * n_dims; ++side) {
            if (joined[static_cast<size_t>(tree)][static_cast<size_t>(side)]) continue;
            const int d = side / 2;
            TreeBlock root{ tree, 0, {} };
            ElementOffset out{};
            out[d] = side % 2 == 0 ? -1 : 1;
            if (out[d] > 0) root.at[d] = trees[static_cast<size_t>(tree)].n_roots[d] - 1;
            const std::optional<Placed> there = across(root, HALO_ELEMENT(out[0], out[1], out[2]));
            if (!there) continue;
            halo_tree_join join = HALO_TREE_JOIN_INIT;
            join.tree = tree;
            join.side = side;
            join.to_tree = there->block.tree;
            for (int e = 0; e < 3; ++e) {
                join.axis[e] = there->map.axis[e];
                join.sign[e] = there->map.sign[e];
            }
            const int32_t to_side = 2 * join.axis[d] + (out[d] * join.sign[d] > 0 ? 0 : 1);
            joined[static_cast<size_t>(tree)][static_cast<size_t>(side)] = true;
            joined[static_cast<size_t>(join.to_tree)][static_cast<size_t>(to_side)] = true;
            list.push_back(join);
        }
    return list;
}

Trees World::make_trees(const Extent &n_cells) const {
    std::vector<Extent> roots;
    for (const PlacedTree &tree : trees) roots.push_back(tree.n_roots);
    Trees made(n_dims, roots);
    int64_t place = 0;
    for (const halo_tree_join &join : joins()) made.join(join, place++, n_cells);
    made.find_passages();
    return made;
}

int World::touching(const TreeBlock &a, const TreeBlock &b) const {
    const int32_t level = std::max(a.level, b.level);
    const auto box = [&](const TreeBlock &block, const Extent &shift, bool turned) {
        halo_box cells{};
        const Extent low = position(block);
        const Extent all = per_root(level - block.level);
        const Extent n = per_root(level);
        for (int d = 0; d < 3; ++d) {
            cells.low[d] = low[d] * all[d];
            cells.high[d] = cells.low[d] + all[d];
            if (turned && turned_over[d]) {
                const int64_t end = height[d] * n[d];
                std::swap(cells.low[d], cells.high[d]);
                cells.low[d] = end - cells.low[d];
                cells.high[d] = end - cells.high[d];
            }
            cells.low[d] += shift[d] * period[d] * n[d];
            cells.high[d] += shift[d] * period[d] * n[d];
        }
        return cells;
    };
    const halo_box mine = box(a, {}, false);
    int least = 0;
    for (int32_t image = 0; image < 27; ++image) {
        const ElementOffset offset = element_offset(image);
        bool has = true;
        for (int d = 0; d < 3; ++d) has = has && (offset[d] == 0 || period[d] > 0);
        if (!has) continue;
        const halo_box other = box(b, { offset[0], offset[1], offset[2] }, offset[0] != 0);
        int borders = 0;
        bool touch = true;
        for (int d = 0; d < 3; ++d) {
            const int64_t common = std::min(mine.high[d], other.high[d]) - std::max(mine.low[d], other.low[d]);
            touch = touch && common >= 0;
            borders += common == 0 ? 1 : 0;
        }
        if (touch && borders > 0 && (least == 0 || borders < least)) least = borders;
    }
    return least;
}

std::vector<TreeBlock> random_leaves(const World &world, int32_t deepest, double share, std::mt19937 &random) {
    std::vector<TreeBlock> waiting, leaves;
    for (int32_t tree = 0; tree < std::ssize(world.trees); ++tree) {
        const Extent &n = world.trees[static_cast<size_t>(tree)].n_roots;
        for (int64_t z = 0; z < n[2]; ++z)
            for (int64_t y = 0; y < n[1]; ++y)
                for (int64_t x = 0; x < n[0]; ++x) waiting.push_back({ tree, 0, { x, y, z } });
    }
    std::uniform_real_distribution<double> chance(0, 1);
    while (!waiting.empty()) {
        const TreeBlock block = waiting.back();
        waiting.pop_back();
        if (block.level == deepest || chance(random) > share)
            leaves.push_back(block);
        else
            for (int32_t number = 0; number < 1 << world.n_dims; ++number) waiting.push_back(child(block, number));
    }
    std::shuffle(leaves.begin(), leaves.end(), random);
    return leaves;
}

int most_directions(int32_t balance) { return balance == HALO_BALANCE_FACES ? 1 : balance == HALO_BALANCE_EDGES ? 2 : 3; }

bool is_balanced(const World &world, const std::vector<TreeBlock> &leaves, int32_t balance) {
    for (const TreeBlock &a : leaves)
        for (const TreeBlock &b : leaves) {
            if (a.level < b.level + 2) continue;
            const int directions = world.touching(a, b);
            if (directions > 0 && directions <= most_directions(balance)) return false;
        }
    return true;
}

} // namespace halo::forest_test
