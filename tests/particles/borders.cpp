// SPDX-License-Identifier: BSD-3-Clause
// Positions on borders and next to them, and jumps whose end is easily told.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "halo_levels.h"
#include "halo_particles.h"
#include "ranks.h"

namespace {

using conformance::Rank;

struct Record {
    double x, y, v, w;
};

// Where one particle of part `gid` is afterwards. Alone on its rank.
struct Result {
    int64_t gid = -1;
    Record record{};
};

Result moved(halo_topology *topology, int64_t gid, const Record &record) {
    const int64_t *gids = nullptr;
    int64_t n_parts = 0;
    OK(halo_topology_local_parts(topology, &gids, &n_parts));
    const halo_particle_vector position{ { 0, 0, 0 }, 0, { 0, 8, 0 } }, speed{ { 0, 0, 0 }, 0, { 16, 24, 0 } };
    const int64_t bytes = sizeof(Record);
    halo_particles_desc desc = HALO_PARTICLES_DESC_INIT;
    desc.column_bytes = &bytes, desc.position = &position, desc.vectors = &speed, desc.n_vectors = 1;
    halo_particles *particles = nullptr;
    OK(halo_particles_create(topology, &desc, &particles));
    std::vector<Record> storage(static_cast<size_t>(n_parts) * 2, Record{});
    std::vector<int64_t> counts(static_cast<size_t>(n_parts));
    std::vector<void *> data;
    for (int64_t part = 0; part < n_parts; ++part) {
        data.push_back(&storage[static_cast<size_t>(part) * 2]);
        if (gids[part] != gid) continue;
        counts[static_cast<size_t>(part)] = 1;
        storage[static_cast<size_t>(part) * 2] = record;
    }
    halo_particles_arrays arrays = HALO_PARTICLES_ARRAYS_INIT;
    arrays.n_parts = arrays.n_data = n_parts, arrays.counts = counts.data(), arrays.data = data.data();
    OK(halo_particles_start(particles, &arrays));
    int64_t n = 0;
    OK(halo_particles_counts(particles, counts.data(), n_parts, &n));
    const std::vector<int64_t> after = counts;
    std::fill(counts.begin(), counts.end(), 2);
    OK(halo_particles_finish(particles, &arrays));
    Result result;
    for (int64_t part = 0; part < n_parts; ++part)
        if (after[static_cast<size_t>(part)] == 1) result = { gids[part], storage[static_cast<size_t>(part) * 2] };
    OK(halo_particles_destroy(&particles));
    return result;
}

const double below_four = std::nextafter(4.0, 0.0);

// Three blocks of 4 by 4 cells in a row.
void in_blocks(bool periodic, const std::function<void(halo_topology *)> &body) {
    conformance::run(1, {}, [&](Rank &rank) {
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 2, desc.n_blocks[0] = 3, desc.n_cells[0] = desc.n_cells[1] = 4, desc.periodic[0] = periodic;
        halo_topology *topology = nullptr;
        OK(halo_topology_create_blocks(rank.context, &desc, &topology));
        body(topology);
        OK(halo_topology_destroy(&topology));
    });
}

TEST(Borders, ALowerBorderBelongsToThePartAndAnUpperOneToTheNext) {
    if (!conformance::threads()) GTEST_SKIP();
    in_blocks(false, [](halo_topology *blocks) {
        const Result low = moved(blocks, 1, { 0.0, 2, 0, 0 }), high = moved(blocks, 1, { 4.0, 2, 0, 0 });
        EXPECT_EQ(low.gid, 1);
        EXPECT_EQ(high.gid, 2);
        EXPECT_EQ(high.record.x, 0.0);
        EXPECT_EQ(moved(blocks, 1, { -0.0, 2, 0, 0 }).gid, 1);
        EXPECT_EQ(moved(blocks, 2, { 4.0, 2, 0, 0 }).gid, -1);
        EXPECT_EQ(moved(blocks, 0, { -1e-300, 2, 0, 0 }).gid, -1);
        EXPECT_EQ(moved(blocks, 0, { 2, 4.0, 0, 0 }).gid, -1);
    });
}

TEST(Borders, WhoIsALittleBelowStaysBelow) {
    if (!conformance::threads()) GTEST_SKIP();
    in_blocks(true, [](halo_topology *blocks) {
        for (const double x : { -1e-300, -1e-20, -1e-17 }) {
            const Result result = moved(blocks, 1, { x, 2, 0, 0 });
            EXPECT_EQ(result.gid, 0) << x;
            EXPECT_EQ(result.record.x, below_four) << x;
        }
        EXPECT_EQ(moved(blocks, 0, { -0.25, 2, 0, 0 }).record.x, 3.75);
        EXPECT_EQ(moved(blocks, 0, { -0.25, 2, 0, 0 }).gid, 2);
        EXPECT_EQ(moved(blocks, 0, { 12e9 + 5.5, 2, 0, 0 }).gid, 1);
        EXPECT_EQ(moved(blocks, 0, { 12e9 + 5.5, 2, 0, 0 }).record.x, 1.5);
        EXPECT_EQ(moved(blocks, 0, { -12e9 + 0.5, 2, 0, 0 }).gid, 0); // around, into the own part
        EXPECT_EQ(moved(blocks, 0, { -12e9 + 0.5, 2, 0, 0 }).record.x, 0.5);
    });
}

// Two trees of 4 by 4 cells; the y of the second runs along -x of the first, which is left through its upper side of x.
void in_turned_trees(int32_t level, const std::function<void(halo_topology *)> &body) {
    conformance::run(1, {}, [&](Rank &rank) {
        const halo_tree trees[] = { HALO_TREE_INIT, HALO_TREE_INIT };
        halo_tree_join join = HALO_TREE_JOIN_INIT;
        join.side = 1, join.to_tree = 1, join.axis[0] = 1, join.axis[1] = 0, join.sign[0] = -1, join.sign[1] = 1;
        std::vector<halo_leaf> leaves{ { 0, 0, { 0, 0, 0 } } };
        for (int64_t part = 0; part < (level == 0 ? 1 : 4); ++part) leaves.push_back({ 1, level, { part % 2, part / 2, 0 } });
        halo_forest_desc desc = HALO_FOREST_DESC_INIT;
        desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = 4, desc.trees = trees, desc.n_trees = 2, desc.joins = &join, desc.n_joins = 1;
        desc.leaves = leaves.data(), desc.n_leaves = static_cast<int64_t>(leaves.size());
        halo_topology *topology = nullptr;
        OK(halo_topology_create_forest(rank.context, &desc, &topology));
        body(topology);
        OK(halo_topology_destroy(&topology));
    });
}

TEST(Borders, AcrossATurnedJoin) {
    if (!conformance::threads()) GTEST_SKIP();
    in_turned_trees(0, [](halo_topology *forest) {
        const Result result = moved(forest, 0, { 4.5, 1.25, 3, 5 });
        EXPECT_EQ(result.gid, 1);
        EXPECT_EQ(result.record.x, 1.25);
        EXPECT_EQ(result.record.y, 3.5);
        EXPECT_EQ(result.record.v, 5);
        EXPECT_EQ(result.record.w, -3);
        EXPECT_EQ(moved(forest, 0, { 4.0, 1, 0, 0 }).record.y, below_four); // on the border, seen from the other side
        const Result back = moved(forest, 1, { 1.25, 4.5, 5, -3 });
        EXPECT_EQ(back.gid, 0);
        EXPECT_EQ(back.record.x, 3.5);
        EXPECT_EQ(back.record.y, 1.25);
        EXPECT_EQ(back.record.v, 3);
        EXPECT_EQ(back.record.w, 5);
    });
}

TEST(Borders, AcrossLevels) {
    if (!conformance::threads()) GTEST_SKIP();
    in_turned_trees(1, [](halo_topology *forest) {
        const Result finer = moved(forest, 0, { 4.5, 2.25, 3, 5 }); // (2.25, 3.5) in the tree: the upper block of both directions
        EXPECT_EQ(finer.gid, 4);
        EXPECT_EQ(finer.record.x, 0.5);
        EXPECT_EQ(finer.record.y, 3.0);
        const Result coarser = moved(forest, 4, { 0.5, 5.0, 5, -3 });
        EXPECT_EQ(coarser.gid, 0);
        EXPECT_EQ(coarser.record.x, 3.5);
        EXPECT_EQ(coarser.record.y, 2.25);
        EXPECT_EQ(moved(forest, 4, { -0.5, 1, 0, 0 }).gid, 3);
        EXPECT_EQ(moved(forest, 4, { -4.5, 1, 0, 0 }).gid, -1);
    });
}

// Half of a root of another list, as one of its leaves counts: the position may be of any leaf.
TEST(Borders, FromAnotherListOfBlocks) {
    if (!conformance::threads()) GTEST_SKIP();
    in_turned_trees(1, [](halo_topology *forest) {
        const Record in_root{ 3.75, 0.5, 3, 5 };
        const Result result = moved(forest, 1, { 2 * in_root.x, 2 * in_root.y, in_root.v, in_root.w });
        EXPECT_EQ(result.gid, 2);
        EXPECT_EQ(result.record.x, 3.5);
        EXPECT_EQ(result.record.y, 1.0);
        EXPECT_EQ(result.record.v, 3);
        EXPECT_EQ(result.record.w, 5);
        EXPECT_EQ(moved(forest, 3, { 2 * in_root.x, 2 * in_root.y - 4, 0, 0 }).gid, 2);
    });
}

// Around the edge where three squares meet, two of which are joined along their third sides too.
TEST(Borders, AroundAnIrregularCornerParticlesGoOn) {
    if (!conformance::threads()) GTEST_SKIP();
    conformance::run(1, {}, [](Rank &rank) {
        const halo_tree trees[] = { HALO_TREE_INIT, HALO_TREE_INIT, HALO_TREE_INIT };
        halo_tree_join joins[] = { HALO_TREE_JOIN_INIT, HALO_TREE_JOIN_INIT, HALO_TREE_JOIN_INIT };
        joins[0].tree = 0, joins[0].side = 1, joins[0].to_tree = 1;
        joins[1].tree = 0, joins[1].side = 3, joins[1].to_tree = 2;
        joins[2].tree = 1, joins[2].side = 3, joins[2].to_tree = 2; // y high of 1 is x high of 2
        joins[2].axis[0] = 1, joins[2].axis[1] = 0, joins[2].sign[1] = -1;
        const halo_leaf leaves[] = { { 0, 0, { 0, 0, 0 } }, { 1, 0, { 0, 0, 0 } }, { 2, 0, { 0, 0, 0 } } };
        halo_forest_desc desc = HALO_FOREST_DESC_INIT;
        desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = 4, desc.trees = trees, desc.n_trees = 3, desc.joins = joins, desc.n_joins = 3;
        desc.leaves = leaves, desc.n_leaves = 3;
        halo_topology *forest = nullptr;
        OK(halo_topology_create_forest(rank.context, &desc, &forest));
        const Result result = moved(forest, 0, { 4.5, 4.25, 0, 0 }); // first across x into tree 1, from there across y into tree 2
        EXPECT_EQ(result.gid, 2);
        EXPECT_EQ(result.record.x, 3.75);
        EXPECT_EQ(result.record.y, 0.5);
        OK(halo_topology_destroy(&forest));
    });
}

// As far as joins of regions reach.
TEST(Borders, AcrossJoinsOfRegions) {
    if (!conformance::threads()) GTEST_SKIP();
    conformance::run(1, {}, [](Rank &rank) {
        const int64_t cells[] = { 4, 3, 1, 3, 4, 1 };
        const halo_join joins[] = { { 1, 0, { { 0, 0, 0 }, { 3, 1, 1 } }, { { 4, 0, 0 }, { 5, 3, 1 } }, { 1, 0, 2 }, { 1, -1, 1 } },
                                    { 0, 1, { { 3, 0, 0 }, { 4, 3, 1 } }, { { 0, -1, 0 }, { 3, 0, 1 } }, { 1, 0, 2 }, { -1, 1, 1 } } };
        halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
        desc.n_dims = 2, desc.cells = cells, desc.n_parts = 2, desc.joins = joins, desc.n_joins = 2, desc.reach = 1;
        halo_topology *regions = nullptr;
        OK(halo_topology_create_regions(rank.context, &desc, &regions));
        const Result there = moved(regions, 0, { 4.25, 0.5, 1, 2 });
        EXPECT_EQ(there.gid, 1);
        EXPECT_EQ(there.record.x, 2.5);
        EXPECT_EQ(there.record.y, 0.25);
        EXPECT_EQ(there.record.v, -2);
        EXPECT_EQ(there.record.w, 1);
        const Result back = moved(regions, 1, { 2.5, -0.75, -2, 1 });
        EXPECT_EQ(back.gid, 0);
        EXPECT_EQ(back.record.x, 3.25);
        EXPECT_EQ(back.record.y, 0.5);
        EXPECT_EQ(moved(regions, 0, { 5.25, 0.5, 0, 0 }).gid, -1);
        OK(halo_topology_destroy(&regions));
    });
}

} // namespace
