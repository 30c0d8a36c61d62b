// SPDX-License-Identifier: BSD-3-Clause
// Vectors in cells of trees that are turned against each other: runs of one component, which comes from another one there.
#include <gtest/gtest.h>

#include <vector>

#include "halo_levels.h"
#include "ranks.h"

namespace {

using conformance::Rank;
using conformance::stop;

constexpr int64_t n_cells = 8, width = n_cells + 4;

class Vectors {
public:
    Vectors(halo_topology *blocks, const char *name) : blocks_(blocks) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name, desc.n_components = 2, desc.vector = HALO_VECTOR_COMPONENTS;
        for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = 2;
        OK(halo_field_create(blocks, &desc, &field_));
        OK(halo_field_allocate(field_, -1));
        OK(halo_exchange_create(&field_, 1, nullptr, &exchange_));
        for (const int64_t gid : gids())
            for (int64_t c = 0; c < 2; ++c)
                for (int64_t y = 0; y < n_cells; ++y)
                    for (int64_t x = 0; x < n_cells; ++x) at(gid, c, x, y) = static_cast<double>(1000 * gid + 500 * c + 20 * y + x * x);
    }
    ~Vectors() {
        halo_exchange_destroy(&exchange_);
        halo_field_destroy(&field_);
    }
    Vectors(const Vectors &) = delete;
    Vectors &operator=(const Vectors &) = delete;

    std::vector<int64_t> gids() const {
        const int64_t *gids = nullptr;
        int64_t n = 0;
        OK(halo_topology_local_parts(blocks_, &gids, &n));
        return { gids, gids + n };
    }
    double &at(int64_t gid, int64_t c, int64_t x, int64_t y) const {
        void *data = nullptr;
        halo_layout layout = HALO_LAYOUT_INIT;
        OK(halo_field_data(field_, gid, 0, &data));
        OK(halo_field_layout(field_, gid, &layout));
        return static_cast<double *>(data)[layout.first_owned + c * layout.component_stride + y * layout.stride[1] + x * layout.stride[0]];
    }
    void run(const halo_run *run) const {
        OK(halo_exchange_start(exchange_, run, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange_, HALO_STREAM_NONE));
    }

private:
    halo_topology *blocks_;
    halo_field *field_ = nullptr;
    halo_exchange *exchange_ = nullptr;
};

// The first of two trees is refined; its x runs along the other's y.
TEST(LevelsVectors, OneComponentOverTurnedTrees) {
    for (const int32_t component : { 0, 1 })
        conformance::run(2, {}, [&](Rank &rank) {
            const halo_tree trees[] = { { { 1, 1, 1 } }, { { 1, 1, 1 } } };
            halo_tree_join join = HALO_TREE_JOIN_INIT;
            join.side = 1, join.to_tree = 1, join.axis[0] = 1, join.axis[1] = 0;
            const halo_leaf leaves[] = {
                { 0, 1, { 0, 0, 0 } }, { 0, 1, { 1, 0, 0 } }, { 0, 1, { 0, 1, 0 } }, { 0, 1, { 1, 1, 0 } }, { 1, 0, { 0, 0, 0 } }
            };
            const int32_t last = rank.size - 1, owners[] = { 0, last, 0, 0, last };
            halo_forest_desc desc = HALO_FOREST_DESC_INIT;
            desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = n_cells;
            desc.trees = trees, desc.n_trees = 2, desc.joins = &join, desc.n_joins = 1;
            desc.leaves = leaves, desc.n_leaves = 5, desc.owner = owners;
            halo_topology *blocks = nullptr;
            OK(halo_topology_create_forest(rank.context, &desc, &blocks));
            {
                const Vectors all(blocks, "all"), one(blocks, "one");
                halo_run run = HALO_RUN_INIT;
                run.first_component = component, run.n_components = 1;
                all.run(nullptr);
                one.run(&run);
                for (const int64_t gid : all.gids())
                    for (int64_t i = 0; i < width * width; ++i) {
                        const int64_t x = i % width - 2, y = i / width - 2;
                        if (one.at(gid, component, x, y) != all.at(gid, component, x, y))
                            stop("component %d of part %lld at (%lld, %lld): %g, not %g", component, static_cast<long long>(gid),
                                 static_cast<long long>(x), static_cast<long long>(y), one.at(gid, component, x, y), all.at(gid, component, x, y));
                    }
            }
            OK(halo_topology_destroy(&blocks));
        });
}

} // namespace
