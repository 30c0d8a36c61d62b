// SPDX-License-Identifier: BSD-3-Clause
// Which element of the sender an edge names where the index spaces of two parts are turned against each other, and which one its reversal names.
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
        EXPECT_EQ(edge.identity.element, halo_element(static_cast<int32_t>(side[0]), static_cast<int32_t>(side[1]), static_cast<int32_t>(side[2])));
        EXPECT_EQ(reversed(edge).identity.element, halo_element(1, 0, 0));
        EXPECT_EQ(reversed(reversed(edge)).identity.element, edge.identity.element);
        EXPECT_EQ(key_extra(edge.identity, 0, 0), 0);
    });
    EXPECT_EQ(n_edges, 1);
}

TEST(TurnedElements, AreThoseOfTheSenderInJoins) {
    halo_inproc *group = nullptr;
    ASSERT_EQ(halo_inproc_create(1, &group), HALO_SUCCESS);
    {
        const std::unique_ptr<Context> context = open_context(group, 0);
        for (const AxisMap &map : all_maps()) expect_elements(*context, map);
    }
    EXPECT_EQ(halo_inproc_destroy(&group), HALO_SUCCESS);
}

} // namespace

} // namespace halo
