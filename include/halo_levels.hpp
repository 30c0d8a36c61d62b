// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file halo_levels.hpp
 * The C interface of halo_levels.h with owners and exceptions, as halo.hpp is that of halo.h.
 *
 *     halo::Forest forest(2, { 8, 8 });
 *     forest.periodic(forest.tree({ 4, 4 }), 0);
 *     forest.uniform(1);
 *     const std::vector<std::int64_t> from = forest.adapt(marks);
 *     forest.place(n_ranks);
 *     const halo::Topology topology = forest.topology(context);
 */
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "halo.hpp"
#include "halo_levels.h"

namespace halo {

/// Trees, and a list of the leaves that cover them.
class Forest {
public:
    Forest(std::int32_t n_dims, const std::array<std::int64_t, 3> &n_cells, std::int32_t balance = HALO_BALANCE_FULL)
        : n_dims_(n_dims),
          n_cells_(n_cells),
          balance_(balance) {}

    /// Returns the tree's number.
    std::int32_t tree(const std::array<std::int64_t, 3> &n_roots) {
        halo_tree tree = HALO_TREE_INIT;
        for (std::size_t d = 0; d < static_cast<std::size_t>(n_dims_); ++d) tree.n_roots[d] = n_roots[d];
        trees_.push_back(tree);
        return static_cast<std::int32_t>(trees_.size()) - 1;
    }
    void join(const halo_tree_join &join) { joins_.push_back(join); }
    /// Join the two sides of a tree in one direction.
    void periodic(std::int32_t tree, std::int32_t direction) {
        halo_tree_join join = HALO_TREE_JOIN_INIT;
        join.tree = join.to_tree = tree;
        join.side = 2 * direction + 1;
        joins_.push_back(join);
    }

    /// Makes the leaves all blocks of one level.
    void uniform(std::int32_t level) {
        const halo_forest_desc known = desc();
        set_leaves(detail::all_of<halo_leaf>([&](auto... list) { return halo_forest_uniform(&known, level, sizeof(halo_leaf), list...); }));
    }
    /// Any list of leaves.
    void set_leaves(std::span<const halo_leaf> leaves) {
        leaves_.assign(leaves.begin(), leaves.end());
        owners_.clear();
        distributed_ = 0;
    }
    /// This rank's leaves alone, as each rank gives its own. They are neither adapted nor placed here.
    void set_own_leaves(std::span<const halo_leaf> leaves) {
        set_leaves(leaves);
        distributed_ = 1;
    }
    /// Refines and coarsens as HALO_MARK_... of each leaf say; without marks the list is only balanced and ordered. Returns where each new leaf comes
    /// from, as halo_forest_adapt.
    std::vector<std::int64_t> adapt(std::span<const std::int32_t> marks = {}) {
        if (!marks.empty() && marks.size() != leaves_.size()) throw error(HALO_ERR_ARGUMENT, "forest: not a mark for each leaf");
        const halo_forest_desc known = desc();
        const std::int32_t *const given = marks.empty() ? nullptr : marks.data();
        std::int64_t n = 0;
        check(halo_forest_adapt(&known, given, sizeof(halo_leaf), nullptr, nullptr, 0, &n));
        std::vector<halo_leaf> list(static_cast<std::size_t>(n));
        std::vector<std::int64_t> from(list.size());
        check(halo_forest_adapt(&known, given, sizeof(halo_leaf), list.data(), from.data(), n, &n));
        set_leaves(list);
        return from;
    }
    /// Owners by weight, one for each leaf, along the curve; without weights all are alike.
    void place(std::int32_t n_ranks, std::span<const double> weights = {}) {
        if (!weights.empty() && weights.size() != leaves_.size()) throw error(HALO_ERR_ARGUMENT, "forest: not a weight for each leaf");
        const halo_forest_desc known = desc();
        std::vector<std::int32_t> owners(leaves_.size());
        std::int64_t n = 0;
        check(halo_forest_place(&known, weights.empty() ? nullptr : weights.data(), n_ranks, owners.data(), static_cast<std::int64_t>(owners.size()),
                                &n));
        owners_ = owners;
    }

    const std::vector<halo_leaf> &leaves() const { return leaves_; }
    /// Empty: equal runs of gids.
    const std::vector<std::int32_t> &owners() const { return owners_; }

    /// Valid until the forest is changed.
    halo_forest_desc desc() const {
        halo_forest_desc desc = HALO_FOREST_DESC_INIT;
        desc.n_dims = n_dims_;
        for (std::size_t d = 0; d < static_cast<std::size_t>(n_dims_); ++d) desc.n_cells[d] = n_cells_[d];
        desc.trees = trees_.data();
        desc.n_trees = static_cast<std::int32_t>(trees_.size());
        desc.joins = joins_.data();
        desc.n_joins = static_cast<std::int32_t>(joins_.size());
        desc.leaves = leaves_.data();
        desc.n_leaves = static_cast<std::int64_t>(leaves_.size());
        desc.owner = owners_.empty() ? nullptr : owners_.data();
        desc.balance = balance_;
        desc.distributed = distributed_;
        return desc;
    }
    /// Collective.
    Topology topology(const Context &context) const {
        const halo_forest_desc known = desc();
        halo_topology *topology = nullptr;
        check(halo_topology_create_forest(context, &known, &topology));
        return Topology::adopt(topology);
    }

private:
    std::int32_t n_dims_;
    std::array<std::int64_t, 3> n_cells_;
    std::int32_t balance_;
    std::int32_t distributed_ = 0;
    std::vector<halo_tree> trees_;
    std::vector<halo_tree_join> joins_;
    std::vector<halo_leaf> leaves_;
    std::vector<std::int32_t> owners_;
};

/// Storage of a field's parts: where blocks stay, that of the field on another list.
inline void allocate_from(const Field &field, const Field &before) { check(halo_field_allocate_from(field, before)); }

/// How ghosts behind coarser blocks are made: HALO_PROLONG_...
inline void set_prolongation(const Field &field, std::int32_t prolongation) { check(halo_field_set_prolongation(field, prolongation)); }

/// How coarse points are made of a field's: HALO_RESTRICT_...
inline void set_restriction(const Field &field, std::int32_t restriction) { check(halo_field_set_restriction(field, restriction)); }

/// What is made of what in a part beside a field of an exchange.
inline std::vector<halo_level_region> level_regions(const Exchange &exchange, std::int32_t field, std::int64_t gid) {
    return detail::all_of<halo_level_region>(
        [&](auto... list) { return halo_exchange_level_regions(exchange, field, gid, sizeof(halo_level_region), list...); });
}

/// Coarse cells of a part beside a field of an exchange. Valid as long as the exchange.
template <class T>
struct CoarseCells {
    T *data;
    halo_layout layout;
    std::vector<halo_boundary> boundaries; ///< outside the domain
};
template <class T = double>
CoarseCells<T> coarse_cells(const Exchange &exchange, std::int32_t field, std::int64_t gid) {
    void *data = nullptr;
    halo_layout layout = HALO_LAYOUT_INIT;
    check(halo_exchange_coarse_data(exchange, field, gid, &data, &layout));
    return { static_cast<T *>(data), layout, detail::all_of<halo_boundary>([&](auto... list) {
                 return halo_exchange_coarse_boundaries(exchange, field, gid, sizeof(halo_boundary), list...);
             }) };
}

/// Between two levels of boxes, from or to each coarse field and the fine one at its place: halo_exchange_create_levels. `newer` may be empty.
inline Exchange levels_exchange(std::span<halo_field *const> coarse, std::span<halo_field *const> fine,
                                const halo_levels_desc &desc = HALO_LEVELS_DESC_INIT, std::span<halo_field *const> newer = {}) {
    if (coarse.size() != fine.size() || (!newer.empty() && newer.size() != coarse.size()))
        throw error(HALO_ERR_ARGUMENT, "levels: there must be as many fields of each list");
    halo_exchange *exchange = nullptr;
    check(halo_exchange_create_levels(coarse.data(), newer.empty() ? nullptr : newer.data(), fine.data(), static_cast<std::int32_t>(coarse.size()),
                                      &desc, &exchange));
    return Exchange::adopt(exchange);
}
/// As it was given.
inline halo_levels_desc levels_desc(const Exchange &exchange) {
    halo_levels_desc desc = HALO_LEVELS_DESC_INIT;
    check(halo_exchange_get_levels_desc(exchange, &desc));
    return desc;
}
/// Where between the two times later runs take the coarser level's values.
inline void set_fraction(const Exchange &exchange, double fraction) { check(halo_exchange_set_fraction(exchange, fraction)); }

/// What the cells of a part are among the levels; `finer` may be null.
inline std::vector<halo_level_box> level_boxes(const Field &field, const halo_topology *finer, std::int64_t gid) {
    return detail::all_of<halo_level_box>([&](auto... list) { return halo_field_level_boxes(field, finer, gid, sizeof(halo_level_box), list...); });
}

} // namespace halo
