// SPDX-License-Identifier: BSD-3-Clause
#include "model.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace levels {

namespace {

template <class Visit>
void for_each_part(int32_t n_dims, const Place &at, Visit &&visit) {
    for (int child = 0; child < 1 << n_dims; ++child) {
        Place part = at;
        for (int d = 0; d < n_dims; ++d) part[static_cast<size_t>(d)] = 2 * at[static_cast<size_t>(d)] + (child >> d & 1);
        visit(part);
    }
}

template <class Visit>
void for_each_offset(int32_t n_dims, Visit &&visit) {
    const int64_t y_end = n_dims > 1 ? 1 : 0, z_end = n_dims > 2 ? 1 : 0;
    for (int64_t z = -z_end; z <= z_end; ++z)
        for (int64_t y = -y_end; y <= y_end; ++y)
            for (int64_t x = -1; x <= 1; ++x) visit(Place{ x, y, z });
}

} // namespace

std::vector<Rotation> all_rotations(int32_t n_dims) {
    std::vector<Rotation> all;
    Rotation rotation;
    do
        for (int signs = 0; signs < 1 << n_dims; ++signs) {
            for (int d = 0; d < n_dims; ++d) rotation.sign[static_cast<size_t>(d)] = (signs >> d & 1) != 0 ? -1 : 1;
            all.push_back(rotation);
        }
    while (std::next_permutation(rotation.axis.begin(), rotation.axis.begin() + n_dims));
    return all;
}

double minmod(double below, double above) {
    if (!((below > 0 && above > 0) || (below < 0 && above < 0))) return 0;
    return std::abs(below) < std::abs(above) ? below : above;
}

Model::Model(const Shape &shape, uint64_t seed, int32_t n_ranks) : shape_(shape) {
    refine(seed);
    describe(seed, n_ranks);
}

Model::Model(const Model &of, std::vector<halo_leaf> leaves, uint64_t seed, int32_t n_ranks, bool distributed)
    : shape_(of.shape_),
      trees_(of.trees_),
      tree_rows_(of.tree_rows_),
      joins_(of.joins_),
      leaves_(std::move(leaves)) {
    shape_.distributed = distributed;
    for (int64_t gid = 0; gid < static_cast<int64_t>(leaves_.size()); ++gid) {
        const Block block{ leaves_[static_cast<size_t>(gid)].level, in_space(gid, {}, 1) };
        blocks_.push_back(block);
        is_leaf_[block] = true;
        for (Block above = block; above.level > 0; is_leaf_[above] = false)
            above = { above.level - 1, { floor_half(above.at[0]), floor_half(above.at[1]), floor_half(above.at[2]) } };
    }
    place(seed, n_ranks);
}

Place Model::extent(int32_t level) const {
    Place cells{ 1, 1, 1 };
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d)
        cells[d] = (d == 0 ? shape_.n_trees : 1) * shape_.n_roots[d] * shape_.n_cells << level;
    return cells;
}

bool Model::wrap(int32_t level, Place &cell) const {
    const Place end = extent(level);
    for (size_t d = 0; d < 3; ++d) {
        if (cell[d] >= 0 && cell[d] < end[d]) continue;
        if (!shape_.periodic[d]) return false;
        cell[d] = (cell[d] % end[d] + end[d]) % end[d];
    }
    return true;
}

// Cells as blocks of one cell.
void Model::refine(uint64_t seed) {
    Random random(seed);
    const Shape cells = shape_;
    shape_.n_cells = 1; // blocks are counted here
    const Place roots = extent(0);
    for (int64_t z = 0; z < roots[2]; ++z)
        for (int64_t y = 0; y < roots[1]; ++y)
            for (int64_t x = 0; x < roots[0]; ++x) is_leaf_[{ 0, { x, y, z } }] = true;
    const auto split = [&](const Block &block) {
        is_leaf_[block] = false;
        for_each_part(shape_.n_dims, block.at, [&](const Place &part) { is_leaf_[{ block.level + 1, part }] = true; });
    };
    for (int32_t level = 0; level < shape_.deepest; ++level) {
        std::vector<Block> chosen;
        for (const auto &[block, leaf] : is_leaf_)
            if (leaf && block.level == level && random() % 3 == 0) chosen.push_back(block);
        for (const Block &block : chosen) split(block);
    }
    for (bool changed = true; changed;) {
        changed = false;
        std::vector<Block> leaves;
        for (const auto &[block, leaf] : is_leaf_)
            if (leaf) leaves.push_back(block);
        for (const Block &block : leaves)
            for_each_offset(shape_.n_dims, [&](const Place &offset) {
                Place at;
                for (size_t d = 0; d < 3; ++d) at[d] = block.at[d] + offset[d];
                if (!wrap(block.level, at)) return;
                Block there{ block.level, at };
                while (!is_leaf_.contains(there))
                    there = { there.level - 1, { floor_half(there.at[0]), floor_half(there.at[1]), floor_half(there.at[2]) } };
                if (!is_leaf_[there] || there.level >= block.level - 1) return;
                split(there);
                changed = true;
            });
    }
    shape_ = cells;
    for (const auto &[block, leaf] : is_leaf_)
        if (leaf) blocks_.push_back(block);
    std::shuffle(blocks_.begin(), blocks_.end(), random);
}

bool Model::has_levels() const {
    return std::any_of(blocks_.begin(), blocks_.end(), [&](const Block &block) { return block.level != blocks_[0].level; });
}

// ---- as the library is told

Place Model::tree_extent(const Tree &tree, int32_t level, int64_t n_cells) const {
    Place cells{ 1, 1, 1 };
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d) cells[d] = shape_.n_roots[static_cast<size_t>(tree.axis[d])] * n_cells << level;
    return cells;
}

int32_t Model::direction_along(const Tree &tree, int32_t axis) const {
    return static_cast<int32_t>(std::find(tree.axis.begin(), tree.axis.end(), axis) - tree.axis.begin());
}

// Upwards along an axis of space.
void Model::add_join(int32_t tree, int32_t to, int32_t axis) {
    const Tree &from = trees_[static_cast<size_t>(tree)], &there = trees_[static_cast<size_t>(to)];
    halo_tree_join join = HALO_TREE_JOIN_INIT;
    const int32_t direction = direction_along(from, axis);
    join.tree = tree;
    join.side = 2 * direction + (from.sign[static_cast<size_t>(direction)] > 0 ? 1 : 0);
    join.to_tree = to;
    for (size_t d = 0; d < 3; ++d) {
        join.axis[d] = direction_along(there, from.axis[d]);
        join.sign[d] = from.sign[d] * there.sign[static_cast<size_t>(join.axis[d])];
    }
    joins_.push_back(join);
}

void Model::describe(uint64_t seed, int32_t n_ranks) {
    Random random(seed + 1);
    const auto dims = static_cast<size_t>(shape_.n_dims);
    for (int32_t t = 0; t < shape_.n_trees; ++t) {
        Tree tree;
        if (shape_.turned) {
            std::shuffle(tree.axis.begin(), tree.axis.begin() + static_cast<std::ptrdiff_t>(dims), random);
            for (size_t d = 0; d < dims; ++d) tree.sign[d] = random() % 2 == 0 ? 1 : -1;
        }
        if (shape_.rotation >= 0 && t > 0) tree = all_rotations(shape_.n_dims)[static_cast<size_t>(shape_.rotation)];
        trees_.push_back(tree);
        halo_tree row = HALO_TREE_INIT;
        for (size_t d = 0; d < dims; ++d) row.n_roots[d] = shape_.n_roots[static_cast<size_t>(tree.axis[d])];
        tree_rows_.push_back(row);
    }
    for (int32_t t = 0; t < shape_.n_trees; ++t)
        for (int32_t axis = 0; axis < shape_.n_dims; ++axis) {
            const bool last = axis != 0 || t == shape_.n_trees - 1;
            if (!last)
                add_join(t, t + 1, axis);
            else if (shape_.periodic[static_cast<size_t>(axis)])
                add_join(t, axis == 0 ? 0 : t, axis);
        }
    for (const Block &block : blocks_) {
        halo_leaf leaf = HALO_LEAF_INIT;
        const int64_t roots = shape_.n_roots[0] << block.level;
        leaf.tree = static_cast<int32_t>(block.at[0] / roots);
        leaf.level = block.level;
        const Tree &tree = trees_[static_cast<size_t>(leaf.tree)];
        const Place end = tree_extent(tree, block.level, 1);
        for (size_t d = 0; d < 3; ++d) {
            const auto axis = static_cast<size_t>(tree.axis[d]);
            const int64_t at = block.at[axis] - (axis == 0 ? leaf.tree * roots : 0);
            leaf.at[d] = tree.sign[d] > 0 ? at : end[d] - 1 - at;
        }
        leaves_.push_back(leaf);
    }
    place(seed, n_ranks);
}

void Model::place(uint64_t seed, int32_t n_ranks) {
    Random random(seed + 2);
    for (size_t gid = 0; gid < leaves_.size(); ++gid) owner_.push_back(static_cast<int32_t>(random() % static_cast<uint64_t>(n_ranks)));
    if (shape_.distributed) order_by_rank();
    for (size_t gid = 0; gid < blocks_.size(); ++gid) gids_[blocks_[gid]] = static_cast<int64_t>(gid);
    desc_.n_dims = shape_.n_dims;
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d) desc_.n_cells[d] = shape_.n_cells;
    desc_.trees = tree_rows_.data(), desc_.n_trees = shape_.n_trees;
    desc_.joins = joins_.data(), desc_.n_joins = static_cast<int32_t>(joins_.size());
    desc_.leaves = leaves_.data(), desc_.n_leaves = static_cast<int64_t>(leaves_.size());
    desc_.owner = owner_.data();
}

void Model::order_by_rank() {
    std::vector<size_t> order(leaves_.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](size_t gid) { return owner_[gid]; });
    const auto ordered = [&](auto &list) {
        auto before = list;
        for (size_t gid = 0; gid < order.size(); ++gid) list[gid] = before[order[gid]];
    };
    ordered(leaves_), ordered(blocks_), ordered(owner_);
}

halo_forest_desc Model::desc_of(int32_t rank) const {
    if (!shape_.distributed) return desc_;
    halo_forest_desc own = desc_;
    const auto [first, end] = std::equal_range(owner_.begin(), owner_.end(), rank);
    own.distributed = 1, own.owner = nullptr;
    own.leaves = leaves_.data() + (first - owner_.begin());
    own.n_leaves = end - first;
    return own;
}

Place Model::in_space(int64_t gid, const Place &point, int64_t n_cells, int32_t centring) const {
    const halo_leaf &leaf = leaves_[static_cast<size_t>(gid)];
    const Tree &tree = tree_of(gid);
    const Place end = tree_extent(tree, leaf.level, n_cells);
    Place place{};
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d) {
        const auto axis = static_cast<size_t>(tree.axis[d]);
        const int64_t at = leaf.at[d] * n_cells + point[d], last = end[d] - 1 + (centring >> d & 1);
        place[axis] = (tree.sign[d] > 0 ? at : last - at) + (axis == 0 ? leaf.tree * (shape_.n_roots[0] * n_cells << leaf.level) : 0);
    }
    return place;
}

Place Model::in_part(int64_t gid, const Place &point, int32_t centring) const {
    const halo_leaf &leaf = leaves_[static_cast<size_t>(gid)];
    const Tree &tree = tree_of(gid);
    const Place end = tree_extent(tree, leaf.level, shape_.n_cells);
    Place place{};
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d) {
        const auto axis = static_cast<size_t>(tree.axis[d]);
        const int64_t at = point[axis] - (axis == 0 ? leaf.tree * (shape_.n_roots[0] * shape_.n_cells << leaf.level) : 0);
        const int64_t last = end[d] - 1 + (centring >> axis & 1);
        place[d] = (tree.sign[d] > 0 ? at : last - at) - leaf.at[d] * shape_.n_cells;
    }
    return place;
}

int32_t Model::centring_in_space(int64_t gid, int32_t centring) const {
    int32_t there = 0;
    for (size_t d = 0; d < 3; ++d) there |= (centring >> d & 1) << tree_of(gid).axis[d];
    return there;
}

int32_t Model::centring_in_part(int64_t gid, int32_t centring) const {
    int32_t here = 0;
    for (size_t d = 0; d < 3; ++d) here |= (centring >> tree_of(gid).axis[d] & 1) << d;
    return here;
}

int32_t Model::sign_along(int64_t gid, int32_t axis) const {
    const Tree &tree = tree_of(gid);
    return tree.sign[static_cast<size_t>(direction_along(tree, axis))];
}

Rotation Model::rotation(int64_t gid, int64_t other) const {
    const Tree &from = tree_of(gid), &to = tree_of(other);
    Rotation rotation;
    for (size_t d = 0; d < 3; ++d) {
        rotation.axis[d] = direction_along(to, from.axis[d]);
        rotation.sign[d] = from.sign[d] * to.sign[static_cast<size_t>(rotation.axis[d])];
    }
    return rotation;
}

// ---- values: whole numbers, whose means and quarters are exact in any order

double Model::hash(uint64_t kind, int32_t level, const Place &cell, int32_t component) const {
    uint64_t h = kind * 0x9E3779B97F4A7C15u + static_cast<uint64_t>(level) * 31 + static_cast<uint64_t>(component);
    for (const int64_t c : cell) h = (h ^ static_cast<uint64_t>(c)) * 0xBF58476D1CE4E5B9u, h ^= h >> 29;
    return static_cast<double>(static_cast<int64_t>(h % 1025) - 512);
}

double Model::owned(int32_t level, const Place &cell, int32_t component) const { return hash(1, level, cell, component); }
double Model::outside(int32_t level, const Place &cell, int32_t component, int32_t centring) const {
    return hash(2 + 8 * static_cast<uint64_t>(centring), level, cell, component);
}

Block Model::block_with(int32_t level, const Place &cell) const {
    Block block{ level, {} };
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d) block.at[d] = cell[d] / shape_.n_cells;
    return block;
}

Model::Is Model::what(int32_t level, const Place &cell) const {
    const auto known = is_leaf_.find(block_with(level, cell));
    if (known == is_leaf_.end()) return Is::coarser;
    return known->second ? Is::leaf : Is::finer;
}

double Model::mean(int32_t level, const Place &cell, int32_t component) const {
    double sum = 0;
    for_each_part(shape_.n_dims, cell, [&](const Place &part) { sum += owned(level + 1, part, component); });
    return sum / (1 << shape_.n_dims);
}

double Model::coarse(int32_t level, const Place &given, int32_t component) const {
    Place cell = given;
    if (!wrap(level, cell)) return outside(level, given, component);
    return what(level, cell) == Is::leaf ? owned(level, cell, component) : mean(level, cell, component);
}

std::optional<double> Model::ghost(int32_t level, const Place &given, int32_t component, int32_t prolongation) const {
    Place cell = given;
    if (!wrap(level, cell)) return std::nullopt;
    const Is is = what(level, cell);
    if (is == Is::leaf) return owned(level, cell, component);
    if (is == Is::finer) return mean(level, cell, component);
    Place centre = given;
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d) centre[d] = floor_half(given[d]);
    const double middle = coarse(level - 1, centre, component);
    double value = middle;
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims) && prolongation == HALO_PROLONG_MINMOD; ++d) {
        Place low = centre, high = centre;
        --low[d], ++high[d];
        const double slope = minmod(middle - coarse(level - 1, low, component), coarse(level - 1, high, component) - middle);
        value += ((given[d] & 1) != 0 ? 0.25 : -0.25) * slope;
    }
    return value;
}

double Model::around(int32_t level, const Place &cell, int32_t component, int32_t prolongation) const {
    const std::optional<double> ghost = this->ghost(level, cell, component, prolongation);
    return ghost ? *ghost : outside(level, cell, component);
}

double Model::moved(int32_t level, const Place &cell, int32_t component, int32_t prolongation) const {
    const Is is = what(level, cell);
    if (is == Is::leaf) return owned(level, cell, component);
    if (is == Is::finer) return mean(level, cell, component);
    Place centre{};
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims); ++d) centre[d] = floor_half(cell[d]);
    const double middle = owned(level - 1, centre, component);
    double value = middle;
    for (size_t d = 0; d < static_cast<size_t>(shape_.n_dims) && prolongation == HALO_PROLONG_MINMOD; ++d) {
        Place low = centre, high = centre;
        --low[d], ++high[d];
        const double slope =
            minmod(middle - around(level - 1, low, component, prolongation), around(level - 1, high, component, prolongation) - middle);
        value += ((cell[d] & 1) != 0 ? 0.25 : -0.25) * slope;
    }
    return value;
}

double Model::face(int32_t level, const Place &cell, int d, int32_t component) const {
    Place at = cell;
    const auto direction = static_cast<size_t>(d);
    if (shape_.periodic[direction]) at[direction] %= extent(level)[direction];
    return hash(static_cast<uint64_t>(3 + d), level, at, component);
}

std::optional<double> Model::corrected_face(int32_t level, const Place &cell, int d, int32_t component) const {
    const auto direction = static_cast<size_t>(d);
    for (const int64_t side : { -1, 0 }) {
        Place beyond = cell;
        beyond[direction] += side;
        if (!wrap(level, beyond) || what(level, beyond) != Is::finer) continue;
        double sum = 0;
        int n = 0;
        for_each_part(shape_.n_dims, cell, [&](const Place &part) {
            if (part[direction] != 2 * cell[direction]) return;
            sum += face(level + 1, part, d, component);
            ++n;
        });
        return sum / n;
    }
    return std::nullopt;
}

double Model::copy(int64_t gid, const Place &point, int32_t component, int32_t centring) const {
    const uint64_t kind = 6 + 8 * (8 * static_cast<uint64_t>(gid) + static_cast<uint64_t>(centring));
    return hash(kind, blocks_[static_cast<size_t>(gid)].level, in_space(gid, point, shape_.n_cells, centring), component);
}

bool Model::comes_before(int64_t gid, int64_t other) const {
    const halo_leaf &leaf = leaves_[static_cast<size_t>(gid)], &there = leaves_[static_cast<size_t>(other)];
    if (leaf.tree != there.tree) return leaf.tree < there.tree;
    for (int bit = 40; bit >= 0; --bit)
        for (size_t d = 3; d-- > 0;)
            if ((leaf.at[d] ^ there.at[d]) >> bit & 1) return leaf.at[d] < there.at[d];
    return false;
}

} // namespace levels
