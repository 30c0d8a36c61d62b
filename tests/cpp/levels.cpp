// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <utility>

#include "halo_levels.hpp"

namespace {

TEST(Classes, Forests) {
    const halo::Context context;
    halo::Forest forest(2, { 4, 4 });
    const std::int32_t first = forest.tree({ 1, 2 }), second = forest.tree({ 2, 1 });
    halo_tree_join join = HALO_TREE_JOIN_INIT; // x high of the first is y high of the second, upside down along the side
    join.tree = first, join.side = 1, join.to_tree = second;
    std::swap(join.axis[0], join.axis[1]);
    join.sign[0] = -1, join.sign[1] = -1;
    forest.join(join);
    forest.periodic(first, 1);
    forest.uniform(0);
    ASSERT_EQ(forest.leaves().size(), 4u);
    const std::vector<std::int32_t> marks{ HALO_MARK_KEEP, HALO_MARK_REFINE, HALO_MARK_KEEP, HALO_MARK_KEEP };
    EXPECT_EQ(forest.adapt(marks), (std::vector<std::int64_t>{ 0, 1, 1, 1, 1, 2, 3 }));
    EXPECT_EQ(forest.leaves()[4].at[1], 3);
    forest.place(1, std::vector<double>(7, 2.0));
    EXPECT_EQ(forest.owners(), std::vector<std::int32_t>(7, 0));
    const halo::Topology topology = forest.topology(context);
    EXPECT_EQ(topology.local_parts().size(), 7u);
    EXPECT_EQ(topology.part(4).level, 1);
    EXPECT_EQ(topology.part(4).cells.low[1], 12);
    EXPECT_EQ(topology.part(0).at_boundary[0], 1);
    EXPECT_EQ(topology.part(0).at_boundary[1], 0);
    EXPECT_EQ(topology.part(0).at_boundary[2], 0);
    EXPECT_EQ(forest.adapt(), (std::vector<std::int64_t>{ 0, 1, 2, 3, 4, 5, 6 }));
    EXPECT_THROW(forest.adapt(marks), halo::error);
    EXPECT_THROW(forest.place(1, std::vector<double>(4, 1.0)), halo::error);
    const std::vector<halo_leaf> all = forest.leaves();
    forest.set_own_leaves(all); // of the only rank
    EXPECT_EQ(forest.desc().distributed, 1);
    EXPECT_EQ(forest.topology(context).neighbours(4).size(), topology.neighbours(4).size());
    forest.set_leaves(all);
    EXPECT_EQ(forest.desc().distributed, 0);
    forest.join(join);
    EXPECT_THROW(forest.adapt(), halo::error);
}

} // namespace
