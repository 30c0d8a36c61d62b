// SPDX-License-Identifier: BSD-3-Clause
// The short way that blocks take for the ghosts of cells, against the general one; the search tree against looking at every box.
#include <gtest/gtest.h>

#include <random>
#include <set>
#include <thread>
#include <tuple>

#include "inproc_context.h"
#include "topology/blocks/blocks.h"
#include "topology/boxes/box_calculus.h"
#include "topology/boxes/box_edges.h"
#include "topology/boxes/box_set.h"

namespace halo {

namespace {

auto as_tuple(const Edge &edge) {
    const auto box = [](const halo_box &b) { return std::make_tuple(b.low[0], b.low[1], b.low[2], b.high[0], b.high[1], b.high[2]); };
    return std::make_tuple(edge.send_gid, edge.receive_gid, edge.send_rank, edge.receive_rank, edge.identity.element, edge.identity.piece,
                           edge.identity.tag, edge.ends, edge.from_owner, box(edge.send.box), box(edge.receive.box));
}
using EdgeSet = std::multiset<decltype(as_tuple(Edge{}))>;

EdgeSet edges_of(const BlocksTopology &topology, const EdgeRequest &request, int32_t rank, bool general) {
    EdgeSet found;
    const auto sink = [&](const Edge &edge) { found.insert(as_tuple(edge)); };
    if (general)
        BoxEdges(*topology.boxes(), rank, request).emit(topology.local_parts(), sink);
    else
        topology.edges(request, sink);
    return found;
}

void compare(Context &context, uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](int64_t low, int64_t high) { return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1)); };
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    EdgeRequest request;
    desc.n_dims = static_cast<int32_t>(pick(1, 3));
    desc.order = static_cast<int32_t>(pick(0, 1));
    for (int d = 0; d < desc.n_dims; ++d) {
        desc.n_blocks[d] = pick(1, 4);
        desc.n_cells[d] = pick(1, 4);
        desc.periodic[d] = static_cast<int32_t>(pick(0, 1));
        request.ghosts.low[d] = static_cast<int32_t>(pick(0, desc.n_cells[d]));
        request.ghosts.high[d] = static_cast<int32_t>(pick(0, desc.n_cells[d]));
    }
    request.stencil = static_cast<int32_t>(pick(HALO_STENCIL_FULL, HALO_STENCIL_EDGES));
    const BlocksTopology topology(context, desc);
    EXPECT_EQ(edges_of(topology, request, context.rank(), false), edges_of(topology, request, context.rank(), true)) << "seed " << seed;
}

TEST(BlocksEdges, ShortWayEqualsTheGeneralOne) {
    for (int32_t n_ranks = 1; n_ranks <= 3; ++n_ranks) {
        halo_inproc *group = nullptr;
        ASSERT_EQ(halo_inproc_create(n_ranks, &group), HALO_SUCCESS);
        std::vector<std::thread> ranks;
        for (int32_t rank = 0; rank < n_ranks; ++rank)
            ranks.emplace_back([&, rank] {
                const std::unique_ptr<Context> context = open_context(group, rank);
                for (uint64_t seed = 0; seed < 200; ++seed) compare(*context, seed);
            });
        for (std::thread &rank : ranks) rank.join();
        EXPECT_EQ(halo_inproc_destroy(&group), HALO_SUCCESS);
    }
}

EdgeSet edges_into(const BoxSet &boxes, const std::vector<std::vector<int64_t>> &parts_at_a_time, const EdgeRequest &request) {
    EdgeSet found;
    const auto sink = [&](const Edge &edge) { found.insert(as_tuple(edge)); };
    for (const std::vector<int64_t> &parts : parts_at_a_time) BoxEdges(boxes, 0, request).emit(parts, sink);
    return found;
}

// Random boxes, most of them from few corners, so that many overlap and look the same from where they begin.
TEST(BoxEdges, WhatIsRememberedOfAPartIsOnlyForOthersLikeIt) {
    std::mt19937_64 random(11);
    const auto pick = [&](int64_t low, int64_t high) { return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1)); };
    for (int trial = 0; trial < 500; ++trial) {
        std::vector<PlacedBox> boxes;
        std::vector<int64_t> gids;
        std::vector<std::vector<int64_t>> each_alone;
        for (int64_t gid = 0, n = pick(2, 6); gid < n; ++gid) {
            halo_box box{ { 0, 0, 0 }, { 1, 1, 1 } };
            for (int d = 0; d < 2; ++d) {
                box.low[d] = 4 * pick(0, 1);
                box.high[d] = box.low[d] + 2 * pick(1, 2);
            }
            boxes.push_back({ gid, 0, 0, box, {} });
            gids.push_back(gid);
            each_alone.push_back({ gid });
        }
        const BoxSet set(boxes, {});
        EdgeRequest request;
        for (int d = 0; d < 2; ++d) request.ghosts.low[d] = request.ghosts.high[d] = static_cast<int32_t>(pick(1, 2));
        EXPECT_EQ(edges_into(set, { gids }, request), edges_into(set, each_alone, request)) << "trial " << trial;
    }
}

TEST(BoxSet, FindsWhatLiesInARegion) {
    std::mt19937_64 random(5);
    const auto pick = [&](int64_t low, int64_t high) { return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1)); };
    const auto random_box = [&](int64_t most) {
        halo_box box;
        for (int d = 0; d < 3; ++d) {
            box.low[d] = pick(0, 19);
            box.high[d] = std::min<int64_t>(20, box.low[d] + pick(1, most));
        }
        return box;
    };
    for (int64_t n : { 0, 1, 7, 60, 500 }) {
        std::vector<PlacedBox> boxes;
        for (int64_t gid = 0; gid < n; ++gid) boxes.push_back({ gid, 0, 0, random_box(gid % 50 == 0 ? 20 : 3), {} });
        const BoxSet set(boxes, { 20, 0, 20 });
        for (int trial = 0; trial < 100; ++trial) {
            const halo_box region = shifted(random_box(30), { pick(-25, 25), pick(-5, 5), pick(-25, 25) });
            std::set<std::tuple<int64_t, int64_t, int64_t>> wanted;
            for (int64_t x = -80; x <= 80; x += 20)
                for (int64_t z = -80; z <= 80; z += 20)
                    for (const PlacedBox &box : boxes)
                        if (meet(shifted(box.cells, { x, 0, z }), region)) wanted.insert({ box.gid, x, z });
            std::vector<PlacedBox> near;
            set.boxes_near(region, near);
            std::set<std::tuple<int64_t, int64_t, int64_t>> found;
            for (const PlacedBox &box : near) found.insert({ box.gid, box.shift[0], box.shift[2] });
            EXPECT_EQ(near.size(), found.size());
            EXPECT_EQ(found, wanted);
        }
    }
}

} // namespace

} // namespace halo
