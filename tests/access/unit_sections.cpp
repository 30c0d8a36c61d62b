// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "access/sections.h"
#include "base/error.h"

namespace {

using namespace halo;

// A line of nodes 0 - 1 - 2 - 3 - 4, of which ranks 0, 0, 1, 1, 2 own one each, and edges between neighbours.
const std::vector<int32_t> node_owners{ 0, 0, 1, 1, 2 };
const std::vector<uint32_t> ends{ 0, 1, 1, 2, 2, 3, 3, 4 };
const std::vector<int32_t> edge_owners{ 0, 0, 1, 1 };

halo_map edges_to_nodes() { return { ends.data(), node_owners.data(), 5, 2, 0 }; }

TEST(Sections, FollowFromWhatEntitiesTouch) {
    const halo_map map = edges_to_nodes();
    EXPECT_EQ(classify(0, edge_owners, { &map, 1 }).of,
              (std::vector<int32_t>{ HALO_SECTION_CORE, HALO_SECTION_OWNED, HALO_SECTION_NON_EXEC, HALO_SECTION_NON_EXEC }));
    EXPECT_EQ(classify(1, edge_owners, { &map, 1 }).of,
              (std::vector<int32_t>{ HALO_SECTION_NON_EXEC, HALO_SECTION_EXEC, HALO_SECTION_CORE, HALO_SECTION_OWNED }));
    EXPECT_EQ(classify(2, edge_owners, { &map, 1 }).of,
              (std::vector<int32_t>{ HALO_SECTION_NON_EXEC, HALO_SECTION_NON_EXEC, HALO_SECTION_NON_EXEC, HALO_SECTION_EXEC }));
}

TEST(Sections, OfASetWithoutMapsAreCoreAndRead) {
    const Sections nodes = classify(1, node_owners, {});
    EXPECT_EQ(nodes.sizes, (std::array<int64_t, 4>{ 2, 0, 0, 3 }));
}

TEST(Sections, AreStoredOneAfterTheOtherAndGhostsByOwner) {
    const halo_map map = edges_to_nodes();
    const std::vector<int32_t> owners{ 2, 0, 1, 0 };
    const Sections sections = classify(1, owners, { &map, 1 });
    EXPECT_EQ(sections.of, (std::vector<int32_t>{ HALO_SECTION_NON_EXEC, HALO_SECTION_EXEC, HALO_SECTION_CORE, HALO_SECTION_EXEC }));
    EXPECT_EQ(sections.order(owners), (std::vector<uint32_t>{ 2, 1, 3, 0 }));
    EXPECT_EQ(classify(0, node_owners, {}).order(node_owners), (std::vector<uint32_t>{ 0, 1, 2, 3, 4 }));
    EXPECT_EQ(classify(2, std::vector<int32_t>{ 1, 0, 2, 0, 1 }, {}).order(std::vector<int32_t>{ 1, 0, 2, 0, 1 }),
              (std::vector<uint32_t>{ 2, 1, 3, 0, 4 }));
}

TEST(Sections, ReachMarksWhatSomeSectionsTouch) {
    const halo_map map = edges_to_nodes();
    const std::vector<int32_t> sections = classify(0, edge_owners, { &map, 1 }).of;
    std::vector<uint32_t> groups(5, 0);
    reach(map, sections, 1u << HALO_SECTION_OWNED, 0x10, groups.data());
    reach(map, sections, 1u << HALO_SECTION_CORE | 1u << HALO_SECTION_OWNED, 0x20, groups.data());
    EXPECT_EQ(groups, (std::vector<uint32_t>{ 0x20, 0x30, 0x30, 0, 0 }));
}

TEST(Sections, RefuseMapsThatLeadNowhere) {
    const std::vector<uint32_t> away{ 0, HALO_NO_INDEX, 1, 9 };
    const halo_map map{ away.data(), node_owners.data(), 5, 2, 0 };
    const std::vector<int32_t> owners{ 0, 0 };
    try {
        classify(0, owners, { &map, 1 });
        FAIL() << "no error";
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), HALO_ERR_BOUNDS);
        EXPECT_NE(error.text().find("entity 1 touches position 9"), std::string::npos) << error.text();
    }
    const halo_map flat{ away.data(), node_owners.data(), 5, 0, 0 };
    EXPECT_THROW(classify(0, owners, { &flat, 1 }), Error);
}

} // namespace
