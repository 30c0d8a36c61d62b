// SPDX-License-Identifier: BSD-3-Clause
// Forests as topologies on several ranks: edges between equal levels against ids of all cells, neighbours over all levels, boundaries, and what ranks
// say differently.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <thread>
#include <tuple>

#include "expect_failure.h"
#include "forest_world.h"
#include "inproc_context.h"
#include "topology/boxes/box_calculus.h"
#include "topology/forest/adapt.h"
#include "topology/forest/forest.h"

namespace halo {

using namespace forest_test;

namespace {

// Ranks that are threads; each calls with its context, and all come to an end before the contexts go.
void on_ranks(int32_t n, const std::function<void(Context &)> &work) {
    halo_inproc *group = create_inproc_group(n);
    std::vector<std::thread> threads;
    std::vector<std::unique_ptr<Context>> contexts(static_cast<size_t>(n));
    for (int32_t rank = 0; rank < n; ++rank)
        threads.emplace_back([&, rank] {
            contexts[static_cast<size_t>(rank)] = open_context(group, rank);
            work(*contexts[static_cast<size_t>(rank)]);
        });
    for (std::thread &thread : threads) thread.join();
    contexts.clear();
    destroy_inproc_group(group);
}

struct Case {
    World world;
    Extent n_cells{ 1, 1, 1 };
    std::vector<halo_tree> trees;
    std::vector<halo_tree_join> joins;
    std::vector<halo_leaf> leaves;
    std::vector<int32_t> owner;
    int32_t balance = HALO_BALANCE_FULL;

    Case(World in, const Extent &cells, int32_t deepest, double share, int32_t n_ranks, int32_t kept, std::mt19937 &random)
        : world(std::move(in)),
          n_cells(cells),
          trees(world.tree_list()),
          joins(world.joins()),
          balance(kept) {
        const Leaves any(world.make_trees(n_cells), random_leaves(world, deepest, share, random));
        for (const AdaptedLeaf &leaf : adapt(any, {}, balance))
            leaves.push_back({ leaf.block.tree, leaf.block.level, { leaf.block.at[0], leaf.block.at[1], leaf.block.at[2] } });
        std::shuffle(leaves.begin(), leaves.end(), random);
        for (size_t i = 0; i < leaves.size(); ++i) owner.push_back(static_cast<int32_t>(random() % static_cast<size_t>(n_ranks)));
    }
    halo_forest_desc desc() const {
        halo_forest_desc desc = HALO_FOREST_DESC_INIT;
        desc.n_dims = world.n_dims;
        std::copy_n(n_cells.begin(), 3, desc.n_cells);
        desc.trees = trees.data(), desc.n_trees = static_cast<int32_t>(trees.size());
        desc.joins = joins.data(), desc.n_joins = static_cast<int32_t>(joins.size());
        desc.leaves = leaves.data(), desc.n_leaves = static_cast<int64_t>(leaves.size());
        desc.owner = owner.data();
        desc.balance = balance;
        return desc;
    }
    TreeBlock block(size_t gid) const { return { leaves[gid].tree, leaves[gid].level, { leaves[gid].at[0], leaves[gid].at[1], leaves[gid].at[2] } }; }
    Extent cells_per_root(int32_t level) const {
        Extent n{ 1, 1, 1 };
        const AxisMap &first = world.trees[0].to_space;
        for (int d = 0; d < world.n_dims; ++d) n[first.axis[d]] = n_cells[d] << level;
        return n;
    }
    // Owned cell of a leaf of this level at a ghost's or own place of another: gid, and which of its cells.
    std::optional<std::pair<int64_t, Extent>> cell_at(size_t gid, const Extent &place) const {
        const TreeBlock leaf = block(gid);
        const PlacedTree &placed = world.trees[static_cast<size_t>(leaf.tree)];
        const Extent n = cells_per_root(leaf.level);
        Extent at{};
        for (int d = 0; d < 3; ++d) at[d] = leaf.at[d] * n_cells[d] + place[d];
        const std::optional<World::Found> found = world.find(world.position(leaf.tree, at, n), n);
        (void)placed;
        if (!found) return std::nullopt;
        for (size_t other = 0; other < leaves.size(); ++other) {
            if (leaves[other].tree != found->tree || leaves[other].level != leaf.level) continue;
            Extent inner{};
            bool inside = true;
            for (int d = 0; d < 3; ++d) {
                inner[d] = found->at[d] - leaves[other].at[d] * n_cells[d];
                inside = inside && inner[d] >= 0 && inner[d] < n_cells[d];
            }
            if (inside) return std::pair{ static_cast<int64_t>(other), inner };
        }
        return std::pair{ int64_t{ -1 }, Extent{} };
    }
};

using Key = std::tuple<int64_t, int64_t, int32_t, int32_t>;
Key key_of(const Edge &edge) { return { edge.send_gid, edge.receive_gid, edge.identity.element, edge.identity.piece }; }

bool same_edge(const Edge &a, const Edge &b) {
    return key_of(a) == key_of(b) && a.send_rank == b.send_rank && a.receive_rank == b.receive_rank && equal(a.send.box, b.send.box) &&
           equal(a.receive.box, b.receive.box) && a.map == b.map && a.identity.tag == b.identity.tag;
}

template <class Visit>
void for_each_point(const halo_box &box, Visit &&visit) {
    for (int64_t z = box.low[2]; z < box.high[2]; ++z)
        for (int64_t y = box.low[1]; y < box.high[1]; ++y)
            for (int64_t x = box.low[0]; x < box.high[0]; ++x) visit(Extent{ x, y, z });
}

// The sender's cell of a receiver's.
Extent sent_for(const Edge &edge, const Extent &place) {
    Extent from{};
    for (int d = 0; d < 3; ++d) {
        const int there = edge.map.axis[d];
        from[there] = edge.map.sign[d] > 0 ? edge.send.box.low[there] + (place[d] - edge.receive.box.low[d])
                                           : edge.send.box.high[there] - 1 - (place[d] - edge.receive.box.low[d]);
    }
    return from;
}

// Every ghost behind a block of the same level gets that block's cell, once; no other ghost is filled.
void expect_all_ghosts(const Case &one, const std::vector<Edge> &received, const GhostWidths &widths, int32_t stencil) {
    std::map<std::pair<int64_t, Extent>, int> filled;
    for (const Edge &edge : received) {
        EXPECT_TRUE(edge.from_owner);
        for (int d = 0; d < 3; ++d) {
            const int there = edge.map.axis[d];
            EXPECT_EQ(edge.send.box.high[there] - edge.send.box.low[there], edge.receive.box.high[d] - edge.receive.box.low[d]);
        }
        for_each_point(edge.receive.box, [&](const Extent &place) {
            ++filled[{ edge.receive_gid, place }];
            const auto cell = one.cell_at(static_cast<size_t>(edge.receive_gid), place);
            ASSERT_TRUE(cell);
            EXPECT_EQ(cell->first, edge.send_gid);
            EXPECT_EQ(cell->second, sent_for(edge, place));
        });
    }
    const halo_box owned{ { 0, 0, 0 }, { one.n_cells[0], one.n_cells[1], one.n_cells[2] } };
    for (size_t gid = 0; gid < one.leaves.size(); ++gid)
        for_each_element(one.world.n_dims, [&](int32_t element, const ElementOffset &) {
            for_each_point(element_box(owned, widths, element), [&](const Extent &place) {
                const auto cell = one.cell_at(gid, place);
                const bool wanted = in_stencil(element, stencil) && cell && cell->first >= 0;
                const auto found = filled.find({ static_cast<int64_t>(gid), place });
                EXPECT_EQ(found == filled.end() ? 0 : found->second, wanted ? 1 : 0);
            });
        });
}

void expect_boundaries(const Case &one, const ForestTopology &topology, const GhostWidths &widths) {
    const halo_box owned{ { 0, 0, 0 }, { one.n_cells[0], one.n_cells[1], one.n_cells[2] } };
    for (const int64_t gid : topology.local_parts()) {
        std::map<Extent, int> open;
        for (const halo_boundary &boundary : topology.boundaries(gid, widths, HALO_CENTRE_CELL))
            for_each_point(boundary.ghosts, [&](const Extent &place) { ++open[place]; });
        for_each_element(one.world.n_dims, [&](int32_t element, const ElementOffset &) {
            for_each_point(element_box(owned, widths, element),
                           [&](const Extent &place) { EXPECT_EQ(open.contains(place), !one.cell_at(static_cast<size_t>(gid), place).has_value()); });
        });
        const halo_part part = topology.part(gid);
        EXPECT_EQ(part.rank, one.owner[static_cast<size_t>(gid)]);
        EXPECT_EQ(part.level, one.leaves[static_cast<size_t>(gid)].level);
        for (int d = 0; d < 3; ++d) {
            EXPECT_EQ(part.cells.low[d], one.leaves[static_cast<size_t>(gid)].at[d] * one.n_cells[d]);
            Extent below{}, above{};
            below[d] = -1, above[d] = one.n_cells[d];
            if (d >= one.world.n_dims) continue;
            EXPECT_EQ(part.at_boundary[2 * d] == 0, one.cell_at(static_cast<size_t>(gid), below).has_value());
            EXPECT_EQ(part.at_boundary[2 * d + 1] == 0, one.cell_at(static_cast<size_t>(gid), above).has_value());
        }
    }
}

// By going through all leaves for each element.
void expect_neighbours(const Case &one, const ForestTopology &topology) {
    std::vector<bool> near(one.leaves.size());
    std::vector<int32_t> peers;
    for (const int64_t gid : topology.local_parts()) {
        near[static_cast<size_t>(gid)] = true;
        std::vector<halo_neighbour> wanted;
        for_each_element(one.world.n_dims, [&](int32_t element, const ElementOffset &) {
            const std::optional<Placed> there = one.world.across(one.block(static_cast<size_t>(gid)), element);
            if (!there) return;
            const ElementOffset side = element_offset(element_across(element, there->map));
            for (size_t other = 0; other < one.leaves.size(); ++other) {
                const TreeBlock block = one.block(other);
                bool touches = lies_in(there->block, block);
                if (!touches && lies_in(block, there->block)) {
                    touches = true;
                    const int32_t finer = block.level - there->block.level;
                    for (int d = 0; d < one.world.n_dims; ++d) {
                        const int64_t low = there->block.at[d] << finer, high = (there->block.at[d] + 1) << finer;
                        touches = touches && (side[d] == 0 || block.at[d] == (side[d] < 0 ? low : high - 1));
                    }
                }
                if (!touches) continue;
                halo_neighbour row = neighbour_row(static_cast<int64_t>(other), one.owner[other], element, there->map);
                row.level = block.level;
                wanted.push_back(row);
                near[other] = true;
                if (row.rank != topology.context().rank()) peers.push_back(row.rank);
            }
        });
        sort_neighbours(wanted);
        const std::vector<halo_neighbour> found = topology.neighbours(gid);
        ASSERT_EQ(found.size(), wanted.size());
        for (size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].gid, wanted[i].gid);
            EXPECT_EQ(found[i].rank, wanted[i].rank);
            EXPECT_EQ(found[i].element, wanted[i].element);
            EXPECT_EQ(found[i].level, wanted[i].level);
            EXPECT_TRUE(std::equal(found[i].axis, found[i].axis + 3, wanted[i].axis));
            EXPECT_TRUE(std::equal(found[i].sign, found[i].sign + 3, wanted[i].sign));
        }
    }
    std::vector<int64_t> all;
    for (size_t gid = 0; gid < near.size(); ++gid)
        if (near[gid]) all.push_back(static_cast<int64_t>(gid));
    EXPECT_EQ(topology.near(), all);
    std::sort(peers.begin(), peers.end());
    peers.erase(std::unique(peers.begin(), peers.end()), peers.end());
    EXPECT_EQ(topology.peers(), peers);
}

void expect_forest(const Case &one, int32_t n_ranks, const GhostWidths &widths, int32_t stencil) {
    std::vector<std::vector<Edge>> edges(static_cast<size_t>(n_ranks));
    on_ranks(n_ranks, [&](Context &context) {
        const ForestTopology topology(context, one.desc());
        EdgeRequest request;
        request.ghosts = widths;
        request.stencil = stencil;
        topology.edges(request, [&](const Edge &edge) { edges[static_cast<size_t>(context.rank())].push_back(edge); });
        expect_neighbours(one, topology);
        expect_boundaries(one, topology, widths);
        bool levels = false;
        for (int64_t gid = 0; gid < topology.n_parts(); ++gid)
            for (const halo_neighbour &other : topology.neighbours(gid)) levels = levels || other.level != topology.leaf(gid).level;
        EXPECT_EQ(topology.has_levels(), levels);
    });
    std::vector<Edge> received, sent;
    for (int32_t rank = 0; rank < n_ranks; ++rank) {
        std::map<Key, int> seen;
        for (const Edge &edge : edges[static_cast<size_t>(rank)]) {
            EXPECT_EQ(++seen[key_of(edge)], 1) << "an edge is there twice";
            EXPECT_EQ(edge.send_rank, one.owner[static_cast<size_t>(edge.send_gid)]);
            EXPECT_EQ(edge.receive_rank, one.owner[static_cast<size_t>(edge.receive_gid)]);
            EXPECT_EQ(edge.ends, edge.send_rank == edge.receive_rank ? EdgeEnds::local : edge.send_rank == rank ? EdgeEnds::send : EdgeEnds::receive);
            if (edge.ends == EdgeEnds::send)
                sent.push_back(edge);
            else
                received.push_back(edge);
        }
    }
    expect_all_ghosts(one, received, widths, stencil);
    size_t from_others = 0;
    for (const Edge &edge : received) {
        if (edge.ends == EdgeEnds::local) continue;
        ++from_others;
        EXPECT_EQ(std::count_if(sent.begin(), sent.end(), [&](const Edge &other) { return same_edge(edge, other); }), 1);
    }
    EXPECT_EQ(from_others, sent.size());
}

GhostWidths wide(int32_t n_dims, int32_t low, int32_t high) {
    GhostWidths widths;
    for (int d = 0; d < n_dims; ++d) widths.low[d] = low, widths.high[d] = high;
    return widths;
}

TEST(ForestTopology, FillsGhostsOfEqualLevelsOverTurnedTrees) {
    std::mt19937 random(21);
    for (int turn = 0; turn < 16; ++turn) {
        const int32_t n_dims = 1 + turn % 3;
        World world = World::brick(n_dims, { 2, n_dims > 1 ? 2 : 1, 1 }, { 1, n_dims > 1 ? 2 : 1, 1 }, all_maps(n_dims), random);
        for (int d = 0; d < n_dims; ++d)
            if (random() % 2 == 0) world.period[d] = world.height[d];
        const Extent cells{ 4, n_dims > 1 ? 4 : 1, n_dims > 2 ? 4 : 1 };
        const int32_t n_ranks = 1 + turn % 4;
        const Case one(world, cells, 2, n_dims == 3 ? 0.1 : 0.3, n_ranks, turn % 3, random);
        SCOPED_TRACE("turn " + std::to_string(turn));
        expect_forest(one, n_ranks, wide(n_dims, turn % 5, 4 - turn % 4),
                      turn % 2 == 0   ? HALO_STENCIL_FULL
                      : turn % 4 == 1 ? HALO_STENCIL_FACES
                                      : HALO_STENCIL_EDGES);
    }
}

TEST(ForestTopology, BlocksOfUnequalExtents) {
    std::mt19937 random(22);
    std::vector<AxisMap> flips;
    for (const AxisMap &map : all_maps(3))
        if (map.axis == AxisMap{}.axis) flips.push_back(map);
    for (int turn = 0; turn < 6; ++turn) {
        World world = World::brick(3, { 1, 2, 1 }, { 2, 1, 1 }, flips, random);
        world.period[turn % 3] = world.height[turn % 3];
        const Case one(world, { 2, 6, 4 }, 2, 0.1, 3, HALO_BALANCE_FULL, random);
        expect_forest(one, 3, wide(3, 2, 1), HALO_STENCIL_FULL);
    }
}

TEST(ForestTopology, MoebiusStrip) {
    std::mt19937 random(23);
    for (int turn = 0; turn < 4; ++turn) {
        World world = World::brick(2, { 1 + turn, 2, 1 }, { 1, 1, 1 }, all_maps(2), random);
        world.period[0] = world.height[0];
        world.turned_over[1] = true;
        expect_forest(Case(world, { 4, 4, 1 }, 2, 0.3, 2, HALO_BALANCE_FULL, random), 2, wide(2, 3, 2), HALO_STENCIL_FULL);
    }
}

TEST(ForestTopology, RanksWithoutLeavesAndEqualRuns) {
    std::mt19937 random(24);
    const Case one(World::brick(2, { 1, 1, 1 }, { 1, 1, 1 }, { AxisMap{} }, random), { 2, 2, 1 }, 0, 0, 1, HALO_BALANCE_FULL, random);
    on_ranks(3, [&](Context &context) {
        halo_forest_desc desc = one.desc();
        desc.owner = nullptr;
        const ForestTopology topology(context, desc);
        EXPECT_EQ(std::ssize(topology.local_parts()), topology.owner(0) == context.rank() ? 1 : 0);
        EXPECT_FALSE(topology.has_levels());
        topology.edges(EdgeRequest{}, [](const Edge &) { FAIL(); });
        EXPECT_TRUE(topology.peers().empty());
    });
}

TEST(ForestTopology, RanksThatDifferAreTold) {
    std::mt19937 random(25);
    World world = World::brick(2, { 2, 1, 1 }, { 1, 1, 1 }, { AxisMap{} }, random);
    const Case one(world, { 4, 4, 1 }, 1, 1, 2, HALO_BALANCE_FULL, random);
    const auto differ = [&](halo_status status, std::initializer_list<const char *> parts, const std::function<void(halo_forest_desc &)> &change) {
        on_ranks(2, [&](Context &context) {
            halo_forest_desc desc = one.desc();
            if (context.rank() == 1) change(desc);
            expect_failure(status, parts, [&] { ForestTopology(context, desc); });
        });
    };
    differ(HALO_ERR_MISMATCH, { "forest must agree on all ranks: n_cells: (4, 4, 1) on rank 0, (4, 6, 1) on rank 1" },
           [](auto &desc) { desc.n_cells[1] = 6; });
    differ(HALO_ERR_MISMATCH, { "balance: full on rank 0, over faces on rank 1" }, [](auto &desc) { desc.balance = HALO_BALANCE_FACES; });
    differ(HALO_ERR_MISMATCH, { "list of joins: 1 joins on rank 0, 0 on rank 1" }, [](auto &desc) { desc.n_joins = 0; });
    differ(HALO_ERR_MISMATCH, { "list of owners: given on rank 0, none on rank 1" }, [](auto &desc) { desc.owner = nullptr; });
    std::vector<halo_tree_join> turned = one.joins;
    turned[0].sign[1] = -1;
    differ(HALO_ERR_MISMATCH, { "join 0: tree 0, side 1, to tree 1, axes (0, 1, 2), signs (1, 1, 1) on rank 0", "signs (1, -1, 1) on rank 1" },
           [&](auto &desc) { desc.joins = turned.data(); });
    std::vector<halo_leaf> swapped = one.leaves;
    std::swap(swapped[2], swapped[5]);
    differ(HALO_ERR_MISMATCH, { "leaf 2: level 1 (" }, [&](auto &desc) { desc.leaves = swapped.data(); });
    std::vector<int32_t> owners = one.owner;
    owners[3] = 1 - owners[3];
    differ(HALO_ERR_MISMATCH, { "leaf 3: level 1 (", "of rank 0", "of rank 1" }, [&](auto &desc) { desc.owner = owners.data(); });
}

TEST(ForestTopology, WhatItDoesNotKnowIsRefused) {
    std::mt19937 random(26);
    const Case one(World::brick(2, { 1, 1, 1 }, { 1, 1, 1 }, { AxisMap{} }, random), { 2, 2, 1 }, 1, 1, 1, HALO_BALANCE_FULL, random);
    on_ranks(1, [&](Context &context) {
        const ForestTopology topology(context, one.desc());
        EdgeRequest request;
        request.flow = Flow::between_copies;
        expect_failure(HALO_ERR_ARGUMENT, { "flow 1" }, [&] { topology.edges(request, [](const Edge &) {}); });
        expect_failure(HALO_ERR_NOT_FOUND, { "part 4 does not exist: gids are 0 to 3" }, [&] { topology.part(4); });
        expect_failure(HALO_ERR_NOT_FOUND, { "part -1" }, [&] { topology.neighbours(-1); });
        expect_failure(HALO_ERR_NOT_FOUND, { "part 7" }, [&] { topology.boundaries(7, {}, HALO_CENTRE_CELL); });
    });
}

} // namespace

} // namespace halo
