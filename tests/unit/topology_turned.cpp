// SPDX-License-Identifier: BSD-3-Clause
// Which element of the sender an edge names where the index spaces of two parts are turned against each other, and which one its reversal names; and
// how each of the two sees the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "inproc_context.h"
#include "topology/regions/regions.h"

namespace halo {

namespace {

std::vector<AxisMap> all_maps() {
    std::vector<AxisMap> maps;
    std::array<int8_t, 3> axis{ 0, 1, 2 };
    do {
        for (int signs = 0; signs < 8; ++signs) {
            AxisMap map{ axis, {} };
            for (int d = 0; d < 3; ++d) map.sign[d] = (signs >> d & 1) != 0 ? -1 : 1;
            maps.push_back(map);
        }
    } while (std::next_permutation(axis.begin(), axis.end()));
    return maps;
}

TEST(TurnedElements, ComeBackByTheInverseMap) {
    for (const AxisMap &map : all_maps())
        for (int32_t element = 0; element < 27; ++element) EXPECT_EQ(element_across(element_across(element, map), map.inverse()), element);
    for (int32_t element = 0; element < 27; ++element) EXPECT_EQ(element_across(element, AxisMap{}), 26 - element);
}

// The ghosts above part 1 along x are cells of part 0.
halo_join join_above_x(const AxisMap &map, int64_t n, int64_t ghosts) {
    halo_join join{};
    join.send_gid = 0;
    join.receive_gid = 1;
    join.receive = { { n, 0, 0 }, { n + ghosts, n, n } };
    join.send = { { 0, 0, 0 }, { n, n, n } };
    for (int d = 0; d < 3; ++d) {
        join.axis[d] = map.axis[d];
        join.sign[d] = map.sign[d];
    }
    if (map.sign[0] > 0)
        join.send.high[map.axis[0]] = ghosts;
    else
        join.send.low[map.axis[0]] = n - ghosts;
    return join;
}

void expect_elements(Context &context, const AxisMap &map) {
    const int64_t cells[] = { 4, 4, 4, 4, 4, 4 };
    const halo_join join = join_above_x(map, 4, 2);
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.cells = cells;
    desc.n_parts = 2;
    desc.joins = &join;
    desc.n_joins = 1;
    desc.reach = 2;
    EdgeRequest request;
    for (int d = 0; d < 3; ++d) request.ghosts.low[d] = request.ghosts.high[d] = 2;
    int n_edges = 0;
    RegionsTopology(context, desc).edges(request, [&](const Edge &edge) {
        ++n_edges;
        Extent side{};
        side[map.axis[0]] = -map.sign[0];
        EXPECT_EQ(edge.identity.element, HALO_ELEMENT(static_cast<int32_t>(side[0]), static_cast<int32_t>(side[1]), static_cast<int32_t>(side[2])));
        EXPECT_EQ(reversed(edge).identity.element, HALO_ELEMENT(1, 0, 0));
        EXPECT_EQ(reversed(reversed(edge)).identity.element, edge.identity.element);
        EXPECT_EQ(key_extra(edge.identity, 0, 0), 0);
    });
    EXPECT_EQ(n_edges, 1);
}

// The join of the same two faces the other way.
halo_join join_back(const halo_join &join, const AxisMap &map, int64_t n, int64_t ghosts) {
    const int there = map.axis[0];
    halo_join back{};
    back.send_gid = join.receive_gid;
    back.receive_gid = join.send_gid;
    back.send = { { n - ghosts, 0, 0 }, { n, n, n } };
    back.receive = { { 0, 0, 0 }, { n, n, n } };
    back.receive.low[there] = map.sign[0] > 0 ? -ghosts : n;
    back.receive.high[there] = map.sign[0] > 0 ? 0 : n + ghosts;
    for (int32_t d = 0; d < 3; ++d) {
        back.axis[join.axis[d]] = d;
        back.sign[join.axis[d]] = join.sign[d];
    }
    return back;
}

// As each is the other's neighbour, going there and back along a direction is going nowhere.
void expect_inverse(Context &context, const AxisMap &map) {
    const int64_t cells[] = { 4, 4, 4, 4, 4, 4 };
    const halo_join join = join_above_x(map, 4, 2);
    const halo_join joins[] = { join, join_back(join, map, 4, 2) };
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.cells = cells;
    desc.n_parts = 2;
    desc.joins = joins;
    desc.n_joins = 2;
    desc.reach = 2;
    const RegionsTopology topology(context, desc);
    const std::vector<halo_neighbour> of_0 = topology.neighbours(0);
    const std::vector<halo_neighbour> of_1 = topology.neighbours(1);
    ASSERT_EQ(of_0.size(), 1u);
    ASSERT_EQ(of_1.size(), 1u);
    EXPECT_EQ(of_1[0].gid, 0);
    EXPECT_EQ(of_1[0].element, HALO_ELEMENT(1, 0, 0));
    EXPECT_EQ(of_0[0].gid, 1);
    EXPECT_EQ(of_0[0].element, element_across(of_1[0].element, map));
    for (int d = 0; d < 3; ++d) {
        EXPECT_EQ(of_1[0].axis[d], map.axis[d]);
        EXPECT_EQ(of_1[0].sign[d], map.sign[d]);
        EXPECT_EQ(of_0[0].axis[of_1[0].axis[d]], d);
        EXPECT_EQ(of_0[0].sign[of_1[0].axis[d]], of_1[0].sign[d]);
    }
}

void for_each_map(void (*expect)(Context &, const AxisMap &)) {
    halo_inproc *group = nullptr;
    ASSERT_EQ(halo_inproc_create(1, &group), HALO_SUCCESS);
    {
        const std::unique_ptr<Context> context = open_context(group, 0);
        for (const AxisMap &map : all_maps()) expect(*context, map);
    }
    EXPECT_EQ(halo_inproc_destroy(&group), HALO_SUCCESS);
}

TEST(TurnedElements, AreThoseOfTheSenderInJoins) { for_each_map(expect_elements); }

TEST(TurnedNeighbours, SeeEachOtherInversely) { for_each_map(expect_inverse); }

} // namespace

} // namespace halo
