// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "capi/create_topology.h"
#include "capi/list.h"
#include "field/other_blocks.h"
#include "topology/forest/adapt.h"
#include "topology/forest/description.h"
#include "topology/forest/forest.h"

using namespace halo;

namespace {

halo_forest_desc read_forest(const halo_forest_desc *desc) {
    require(desc, "desc");
    return read_struct(desc, halo_forest_desc HALO_FOREST_DESC_INIT);
}

halo_leaf leaf_of(const TreeBlock &block) { return { block.tree, block.level, { block.at[0], block.at[1], block.at[2] } }; }

std::span<const int32_t> read_marks(const int32_t *marks, int64_t n) {
    if (!marks) return {};
    for (int64_t gid = 0; gid < n; ++gid)
        if (marks[gid] < HALO_MARK_COARSEN || marks[gid] > HALO_MARK_REFINE)
            fail(HALO_ERR_ARGUMENT, "forest: the mark of leaf %lld is %d, which is none of HALO_MARK_...", static_cast<long long>(gid), marks[gid]);
    return { marks, static_cast<size_t>(n) };
}

double read_weight(const double *weights, int64_t gid) {
    if (!weights) return 1;
    if (!std::isfinite(weights[gid]) || weights[gid] < 0)
        fail(HALO_ERR_ARGUMENT, "forest: the weight of leaf %lld is %g; it must be finite, and 0 or more", static_cast<long long>(gid), weights[gid]);
    return weights[gid];
}

} // namespace

halo_status halo_topology_create_forest(halo_context *context, const halo_forest_desc *desc, halo_topology **topology) {
    return create_from<ForestTopology>(context, desc, HALO_FOREST_DESC_INIT, "forest", topology);
}

halo_status halo_forest_uniform(const halo_forest_desc *desc, int32_t level, size_t row_bytes, halo_leaf *leaves, int64_t capacity, int64_t *n) {
    return guard([&] {
        halo_forest_desc known = read_forest(desc);
        known.n_joins = 0;
        const Trees trees = read_trees(known);
        if (level < 0 || level > deepest_level) fail(HALO_ERR_ARGUMENT, "forest: level %d; there are levels 0 to %d", level, deepest_level);
        check_row_bytes<halo_leaf>(row_bytes);
        if (!takes_list(count_uniform(trees, level), leaves, capacity, n, "leaves")) return;
        std::vector<halo_leaf> list;
        for (const TreeBlock &block : uniform_leaves(trees, level)) list.push_back(leaf_of(block));
        write_rows(list, row_bytes, leaves, capacity, n, "leaves");
    });
}

halo_status halo_forest_adapt(const halo_forest_desc *desc, const int32_t *marks, size_t row_bytes, halo_leaf *leaves, int64_t *from,
                              int64_t capacity, int64_t *n) {
    return guard([&] {
        const halo_forest_desc known = read_forest(desc);
        const Leaves old = read_leaves(known);
        std::vector<halo_leaf> list;
        std::vector<int64_t> origins;
        for (const AdaptedLeaf &leaf : adapt(old, read_marks(marks, old.size()), known.balance)) {
            list.push_back(leaf_of(leaf.block));
            origins.push_back(leaf.from);
        }
        write_rows(list, row_bytes, leaves, capacity, n, "leaves");
        if (from && capacity > 0) std::copy(origins.begin(), origins.end(), from);
    });
}

halo_status halo_field_allocate_from(halo_field *field, const halo_field *before) {
    return with_handle(field, [&] {
        require_handle(shell_of(before), HandleKind::field);
        if (shell_of(before)->owner != shell_of(field)->owner) fail(HALO_ERR_ARGUMENT, "field: the other one is of another context");
        allocate_from(object_of<Field>(field), object_of<Field>(before));
    });
}

halo_status halo_forest_place(const halo_forest_desc *desc, const double *weights, int32_t n_ranks, int32_t *owners, int64_t capacity, int64_t *n) {
    return guard([&] {
        const Leaves leaves = read_leaves(read_forest(desc));
        if (n_ranks < 1) fail(HALO_ERR_ARGUMENT, "forest: %d ranks", n_ranks);
        const std::vector<uint32_t> order = leaves.by_curve();
        std::vector<double> along;
        for (const uint32_t gid : order) along.push_back(read_weight(weights, gid));
        const std::vector<int32_t> placed = place_by_weight(along, n_ranks);
        std::vector<int32_t> by_gid(placed.size());
        for (size_t i = 0; i < placed.size(); ++i) by_gid[order[i]] = placed[i];
        write_list(by_gid, owners, capacity, n, "owners");
    });
}
