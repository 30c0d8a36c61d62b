// SPDX-License-Identifier: BSD-3-Clause
// Rows whose size the call is told, at callers of other versions: each struct of this kind as short as it was first, shorter, longer.
// scripts/check_versions.py wants all of them here. And numbers of elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "base/first_version.h"

namespace {

using halo::first_version;

static_assert(HALO_ELEMENT(0, 0, 0) == 13 && HALO_ELEMENT(-1, -1, -1) == 0 && HALO_ELEMENT(1, 1, 1) == 26);

constexpr std::byte rubbish{ 0x5a };

// One rank: a square of two by two blocks, and a field with ghosts on it.
class Rows : public testing::Test {
protected:
    Rows() {
        EXPECT_EQ(halo_context_create(nullptr, &context), HALO_SUCCESS);
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 2, desc.n_blocks[0] = desc.n_blocks[1] = 2, desc.n_cells[0] = desc.n_cells[1] = 3;
        EXPECT_EQ(halo_topology_create_blocks(context, &desc, &square), HALO_SUCCESS);
        halo_field_desc ghosts = HALO_FIELD_DESC_INIT;
        for (int d = 0; d < 2; ++d) ghosts.ghost_low[d] = ghosts.ghost_high[d] = 1;
        EXPECT_EQ(halo_field_create(square, &ghosts, &field), HALO_SUCCESS);
    }
    ~Rows() override {
        EXPECT_EQ(halo_field_destroy(&field), HALO_SUCCESS);
        EXPECT_EQ(halo_topology_destroy(&square), HALO_SUCCESS);
        EXPECT_EQ(halo_context_destroy(&context), HALO_SUCCESS);
    }

    // The one neighbour of a part.
    static halo_neighbour neighbour_of(const halo_topology *topology, int64_t gid) {
        halo_neighbour row{};
        int64_t n = 0;
        EXPECT_EQ(halo_topology_neighbours(topology, gid, sizeof row, &row, 1, &n), HALO_SUCCESS) << halo_last_error();
        EXPECT_EQ(n, 1);
        return row;
    }

    halo_context *context = nullptr;
    halo_topology *square = nullptr;
    halo_field *field = nullptr;
};

// What a caller gets whose rows have `bytes`.
template <class Row, class Ask>
void expect_filled(const std::vector<Row> &rows, size_t bytes, Ask &&ask) {
    std::vector<std::byte> memory((rows.size() + 1) * bytes, rubbish);
    int64_t n = -1;
    EXPECT_EQ(ask(bytes, reinterpret_cast<Row *>(memory.data()), std::ssize(rows), &n), HALO_SUCCESS) << bytes << ": " << halo_last_error();
    EXPECT_EQ(n, std::ssize(rows));
    const auto all = [](const std::byte *from, size_t size, std::byte value) {
        return std::all_of(from, from + size, [&](std::byte b) { return b == value; });
    };
    const size_t known = std::min(bytes, sizeof(Row));
    for (size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(std::memcmp(memory.data() + i * bytes, &rows[i], known), 0) << "row " << i << " of " << bytes << " bytes";
        EXPECT_TRUE(all(memory.data() + i * bytes + known, bytes - known, std::byte{})) << "row " << i << " of " << bytes << " bytes";
    }
    EXPECT_TRUE(all(memory.data() + rows.size() * bytes, bytes, rubbish)) << "written behind rows of " << bytes << " bytes";
}

template <class Row, class Ask>
void expect_refused(size_t bytes, halo_status status, const std::string &text, Ask &&ask) {
    std::vector<Row> rows(8);
    int64_t n = -1;
    for (const int64_t capacity : { 0, 8 }) {
        EXPECT_EQ(ask(bytes, rows.data(), capacity, &n), status) << bytes << " bytes";
        EXPECT_EQ(halo_last_error(), std::string(first_version<Row>.name) + ": row_bytes" + text);
        EXPECT_EQ(n, -1);
    }
}

template <class Row, class Ask>
void expect_rows_of_any_size(int64_t n_rows, Ask &&ask) {
    int64_t n = 0;
    ASSERT_EQ(ask(sizeof(Row), nullptr, 0, &n), HALO_SUCCESS) << halo_last_error();
    ASSERT_EQ(n, n_rows);
    std::vector<Row> rows(static_cast<size_t>(n));
    ASSERT_EQ(ask(sizeof(Row), rows.data(), n, &n), HALO_SUCCESS);
    const size_t first = first_version<Row>.bytes;
    for (size_t bytes = first; bytes <= sizeof(Row) + 24; bytes += 4) expect_filled(rows, bytes, ask);
    for (const size_t bytes : { size_t{ 0 }, first - 1 })
        expect_refused<Row>(bytes, HALO_ERR_VERSION, " is " + std::to_string(bytes) + ", the smallest known is " + std::to_string(first), ask);
    expect_refused<Row>(4097, HALO_ERR_LIMIT, " 4097 exceeds 4096", ask);
}

TEST_F(Rows, OfNeighboursAreAsLongAsTheCallers) {
    expect_rows_of_any_size<halo_neighbour>(3, [&](size_t bytes, halo_neighbour *rows, int64_t capacity, int64_t *n) {
        return halo_topology_neighbours(square, 1, bytes, rows, capacity, n);
    });
}

TEST_F(Rows, OfBoundariesAreAsLongAsTheCallers) {
    expect_rows_of_any_size<halo_boundary>(5, [&](size_t bytes, halo_boundary *rows, int64_t capacity, int64_t *n) {
        return halo_field_boundaries(field, 1, bytes, rows, capacity, n);
    });
}

TEST_F(Rows, OfLevelBoxesAreAsLongAsTheCallers) {
    expect_rows_of_any_size<halo_level_box>(6, [&](size_t bytes, halo_level_box *rows, int64_t capacity, int64_t *n) {
        return halo_field_level_boxes(field, nullptr, 1, bytes, rows, capacity, n);
    });
}

TEST(RowsOfLists, OfLeavesAreAsLongAsTheCallers) {
    const halo_tree tree = HALO_TREE_INIT;
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 2, desc.n_cells[0] = desc.n_cells[1] = 4, desc.trees = &tree, desc.n_trees = 1;
    expect_rows_of_any_size<halo_leaf>(
        4, [&](size_t bytes, halo_leaf *rows, int64_t capacity, int64_t *n) { return halo_forest_uniform(&desc, 1, bytes, rows, capacity, n); });
}

// Two halves of a root beside another: the second half sends means, and makes ghosts.
TEST_F(Rows, OfRegionsAreAsLongAsTheCallers) {
    halo_tree tree = HALO_TREE_INIT;
    tree.n_roots[0] = 2;
    const halo_leaf leaves[] = { { 0, 1, { 0, 0, 0 } }, { 0, 1, { 1, 0, 0 } }, { 0, 0, { 1, 0, 0 } } };
    halo_forest_desc desc = HALO_FOREST_DESC_INIT;
    desc.n_dims = 1, desc.n_cells[0] = 4, desc.trees = &tree, desc.n_trees = 1, desc.leaves = leaves, desc.n_leaves = 3;
    halo_field_desc ghosts = HALO_FIELD_DESC_INIT;
    ghosts.ghost_low[0] = ghosts.ghost_high[0] = 2;
    halo_topology *line = nullptr;
    halo_field *u = nullptr;
    halo_exchange *exchange = nullptr;
    ASSERT_EQ(halo_topology_create_forest(context, &desc, &line), HALO_SUCCESS) << halo_last_error();
    ASSERT_EQ(halo_field_create(line, &ghosts, &u), HALO_SUCCESS) << halo_last_error();
    ASSERT_EQ(halo_exchange_create(&u, 1, nullptr, &exchange), HALO_SUCCESS) << halo_last_error();
    expect_rows_of_any_size<halo_level_region>(2, [&](size_t bytes, halo_level_region *rows, int64_t capacity, int64_t *n) {
        return halo_exchange_level_regions(exchange, 0, 1, bytes, rows, capacity, n);
    });
    EXPECT_EQ(halo_exchange_destroy(&exchange), HALO_SUCCESS);
    EXPECT_EQ(halo_field_destroy(&u), HALO_SUCCESS);
    EXPECT_EQ(halo_topology_destroy(&line), HALO_SUCCESS);
}

// Two ranks with a block each.
TEST(RowsBetweenRanks, OfPeersAreAsLongAsTheCallers) {
    halo_inproc *group = nullptr;
    ASSERT_EQ(halo_inproc_create(2, &group), HALO_SUCCESS);
    const auto of_rank = [&](int32_t rank) {
        halo_context *context = nullptr;
        halo_topology *line = nullptr;
        halo_field *field = nullptr;
        halo_exchange *exchange = nullptr;
        halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
        desc.n_dims = 1, desc.n_blocks[0] = 2, desc.n_cells[0] = 4;
        halo_field_desc ghosts = HALO_FIELD_DESC_INIT;
        ghosts.ghost_low[0] = ghosts.ghost_high[0] = 1;
        EXPECT_EQ(halo_context_create_inproc(group, rank, nullptr, &context), HALO_SUCCESS);
        EXPECT_EQ(halo_topology_create_blocks(context, &desc, &line), HALO_SUCCESS);
        EXPECT_EQ(halo_field_create(line, &ghosts, &field), HALO_SUCCESS);
        EXPECT_EQ(halo_exchange_create(&field, 1, nullptr, &exchange), HALO_SUCCESS);
        expect_rows_of_any_size<halo_peer_row>(1, [&](size_t bytes, halo_peer_row *rows, int64_t capacity, int64_t *n) {
            return halo_exchange_peers(exchange, bytes, rows, capacity, n);
        });
        EXPECT_EQ(halo_context_destroy_with_all(&context), HALO_SUCCESS);
    };
    std::thread other(of_rank, 1);
    of_rank(0);
    other.join();
    EXPECT_EQ(halo_inproc_destroy(&group), HALO_SUCCESS);
}

// The table is the library's, its rows lie as the caller's would: their size is one that an array may have.
TEST_F(Rows, OfGroupsAreAsLongAsTheCallers) {
    halo_channel *channels[2] = {};
    for (int i = 0; i < 2; ++i) {
        const halo_channel_key key{ i, 7, 0, 13, 0 };
        halo_channel_desc desc = HALO_CHANNEL_DESC_INIT;
        desc.count = 1 + i;
        ASSERT_EQ(halo_channel_register(context, &key, &desc, &channels[i]), HALO_SUCCESS);
    }
    halo_group *group = nullptr;
    ASSERT_EQ(halo_group_create(context, channels, 2, nullptr, &group), HALO_SUCCESS) << halo_last_error();
    const auto ask = [&](size_t bytes, halo_group_row *into, int64_t, int64_t *n) {
        const halo_group_row *rows = nullptr;
        const halo_status status = halo_group_table(group, bytes, &rows, n);
        if (status == HALO_SUCCESS && into) std::memcpy(into, rows, static_cast<size_t>(*n) * bytes);
        return status;
    };
    std::vector<halo_group_row> rows(2);
    int64_t n = 0;
    ASSERT_EQ(ask(sizeof(halo_group_row), rows.data(), 2, &n), HALO_SUCCESS);
    EXPECT_EQ(rows[1].bytes, 16);
    const size_t first = first_version<halo_group_row>.bytes;
    for (size_t bytes = first; bytes <= sizeof(halo_group_row) + 24; bytes += alignof(halo_group_row))
        expect_filled<halo_group_row>(rows, bytes, ask);
    for (const size_t bytes : { size_t{ 0 }, first - alignof(halo_group_row), first - 1, first + 1 }) {
        EXPECT_EQ(ask(bytes, nullptr, 0, &n), HALO_ERR_VERSION) << bytes;
        EXPECT_EQ(halo_last_error(), "halo_group_row: row_bytes is " + std::to_string(bytes) + "; the size of the struct, at least " +
                                         std::to_string(first) + ", is wanted");
    }
    EXPECT_EQ(ask(4104, nullptr, 0, &n), HALO_ERR_LIMIT);
    EXPECT_EQ(halo_group_destroy(&group), HALO_SUCCESS);
    for (halo_channel *&channel : channels) EXPECT_EQ(halo_channel_destroy(&channel), HALO_SUCCESS);
}

// `give` makes what rows of `bytes` describe, looks at it and destroys it.
template <class Row, class Give>
void expect_read_at_any_size(const std::vector<Row> &rows, Give &&give) {
    const std::string name = first_version<Row>.name;
    const size_t first = first_version<Row>.bytes, last = rows.size() - 1;
    const auto given = [&](size_t bytes, std::byte at_the_end) {
        std::vector<std::byte> memory(rows.size() * bytes + 1);
        for (size_t i = 0; i < rows.size(); ++i) std::memcpy(memory.data() + i * bytes, &rows[i], std::min(bytes, sizeof(Row)));
        if (bytes > sizeof(Row)) memory[rows.size() * bytes - 1] = at_the_end;
        return give(reinterpret_cast<const Row *>(memory.data()), bytes);
    };
    const auto refused = [&](size_t bytes, halo_status status, const std::string &text) {
        EXPECT_EQ(given(bytes, rubbish), status) << name << " of " << bytes << " bytes";
        EXPECT_NE(std::string(halo_last_error()).find(name + text), std::string::npos) << halo_last_error();
    };
    for (size_t bytes = first; bytes <= sizeof(Row) + 24; bytes += 4)
        EXPECT_EQ(given(bytes, std::byte{}), HALO_SUCCESS) << name << " of " << bytes << " bytes: " << halo_last_error();
    for (const size_t bytes : { size_t{ 0 }, size_t{ 8 }, first - 1 })
        refused(bytes, HALO_ERR_VERSION, " 0 has " + std::to_string(bytes) + " bytes, the smallest known is " + std::to_string(first));
    refused(4097, HALO_ERR_LIMIT, ": its size 4097 exceeds 4096");
    for (const size_t bytes : { sizeof(Row) + 1, sizeof(Row) + 24 })
        refused(bytes, HALO_ERR_VERSION,
                " " + std::to_string(last) + " has " + std::to_string(bytes) + " bytes, of which this library knows " + std::to_string(sizeof(Row)) +
                    ", and the rest is not zero");
}

TEST_F(Rows, OfAccesses) {
    halo_access reads = HALO_ACCESS_INIT;
    reads.field = field, reads.mode = HALO_READ;
    EXPECT_EQ(halo_field_allocate(field, -1), HALO_SUCCESS);
    expect_read_at_any_size<halo_access>({ reads, reads }, [&](const halo_access *rows, size_t bytes) {
        halo_batch *batch = nullptr;
        const halo_status status = halo_access_begin(context, rows, 2, bytes, HALO_STYLE_REVERSE, HALO_ON_HOST, HALO_STREAM_NONE, &batch);
        if (status == HALO_SUCCESS) {
            EXPECT_EQ(halo_access_ready(batch), HALO_SUCCESS);
            EXPECT_EQ(halo_access_end(batch), HALO_SUCCESS);
        }
        return status;
    });
}

TEST_F(Rows, OfReductionItems) {
    halo_reduction_item first = HALO_REDUCTION_ITEM_INIT, second = HALO_REDUCTION_ITEM_INIT;
    second.offset = 8;
    expect_read_at_any_size<halo_reduction_item>({ first, second }, [&](const halo_reduction_item *rows, size_t bytes) {
        halo_reduction *reduction = nullptr;
        const halo_status status = halo_reduction_create_items(context, rows, bytes, 2, &reduction);
        if (status == HALO_SUCCESS) {
            EXPECT_EQ(halo_reduction_destroy(&reduction), HALO_SUCCESS);
        }
        return status;
    });
}

// Two trees side by side, of a block each.
class RowsOfForests : public testing::Test {
protected:
    halo_status give() const {
        int64_t n = 0;
        const halo_status status = halo_forest_adapt(&desc, nullptr, sizeof(halo_leaf), nullptr, nullptr, 0, &n);
        if (status == HALO_SUCCESS) {
            EXPECT_EQ(n, 2);
        }
        return status;
    }

    std::vector<halo_tree> trees{ HALO_TREE_INIT, HALO_TREE_INIT };
    std::vector<halo_tree_join> joins{ { 0, 1, 1, 0, { 0, 1, 2 }, { 1, 1, 1 } }, { 1, 1, 0, 0, { 0, 1, 2 }, { 1, 1, 1 } } };
    std::vector<halo_leaf> leaves{ { 0, 0, { 0, 0, 0 } }, { 1, 0, { 0, 0, 0 } } };
    halo_forest_desc desc = [this] {
        halo_forest_desc made = HALO_FOREST_DESC_INIT;
        made.n_dims = 2, made.n_cells[0] = made.n_cells[1] = 4;
        made.trees = trees.data(), made.n_trees = 2;
        made.joins = joins.data(), made.n_joins = 2;
        made.leaves = leaves.data(), made.n_leaves = 2;
        return made;
    }();
};

TEST_F(RowsOfForests, Trees) {
    expect_read_at_any_size<halo_tree>(trees,
                                       [&](const halo_tree *rows, size_t bytes) { return desc.trees = rows, desc.tree_bytes = bytes, give(); });
}

TEST_F(RowsOfForests, Joins) {
    expect_read_at_any_size<halo_tree_join>(
        joins, [&](const halo_tree_join *rows, size_t bytes) { return desc.joins = rows, desc.join_bytes = bytes, give(); });
}

TEST_F(RowsOfForests, Leaves) {
    expect_read_at_any_size<halo_leaf>(leaves,
                                       [&](const halo_leaf *rows, size_t bytes) { return desc.leaves = rows, desc.leaf_bytes = bytes, give(); });
}

// Two edges with three nodes, and back.
class RowsOfMeshes : public Rows {
protected:
    halo_status give() const {
        halo_mesh *mesh = nullptr;
        const halo_status status = halo_mesh_create(context, &desc, &mesh);
        if (status != HALO_SUCCESS) return status;
        halo_mesh_local local = HALO_MESH_LOCAL_INIT;
        EXPECT_EQ(halo_mesh_get_local(mesh, 1, &local), HALO_SUCCESS);
        EXPECT_EQ(local.n, 3);
        EXPECT_EQ(halo_mesh_destroy(&mesh), HALO_SUCCESS);
        return status;
    }

    uint64_t edges[2] = { 1, 2 }, nodes[3] = { 10, 11, 12 }, ends[4] = { 10, 11, 11, 12 }, of_nodes[3] = { 1, 2, 2 };
    std::vector<halo_mesh_set> sets{ { "edges", 2, edges, nullptr, HALO_MESH_OWNER_BROUGHT, 0 },
                                     { "nodes", 3, nodes, nullptr, HALO_MESH_OWNER_BROUGHT, 0 } };
    std::vector<halo_mesh_map> maps{ { "ends", 0, 1, 2, 0, 0, ends }, { "of_nodes", 1, 0, 1, 0, 0, of_nodes } };
    halo_mesh_desc desc = [this] {
        halo_mesh_desc made = HALO_MESH_DESC_INIT;
        made.sets = sets.data(), made.n_sets = 2;
        made.maps = maps.data(), made.n_maps = 2;
        return made;
    }();
};

TEST_F(RowsOfMeshes, Sets) {
    expect_read_at_any_size<halo_mesh_set>(sets,
                                           [&](const halo_mesh_set *rows, size_t bytes) { return desc.sets = rows, desc.set_bytes = bytes, give(); });
}

TEST_F(RowsOfMeshes, Maps) {
    expect_read_at_any_size<halo_mesh_map>(maps,
                                           [&](const halo_mesh_map *rows, size_t bytes) { return desc.maps = rows, desc.map_bytes = bytes, give(); });
}

// Two parts of a line that fill each other's ghosts.
TEST_F(Rows, OfJoins) {
    static const int64_t cells[] = { 4, 1, 1, 4, 1, 1 };
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = 1, desc.cells = cells, desc.n_parts = 2, desc.reach = 1, desc.n_joins = 2;
    expect_read_at_any_size<halo_join>({ { 0, 1, { { 3, 0, 0 }, { 4, 1, 1 } }, { { -1, 0, 0 }, { 0, 1, 1 } }, { 0, 1, 2 }, { 1, 1, 1 } },
                                         { 1, 0, { { 0, 0, 0 }, { 1, 1, 1 } }, { { 4, 0, 0 }, { 5, 1, 1 } }, { 0, 1, 2 }, { 1, 1, 1 } } },
                                       [&](const halo_join *rows, size_t bytes) {
                                           desc.joins = rows, desc.join_bytes = bytes;
                                           halo_topology *line = nullptr;
                                           const halo_status status = halo_topology_create_regions(context, &desc, &line);
                                           if (status != HALO_SUCCESS) return status;
                                           for (const int64_t gid : { 0, 1 }) EXPECT_EQ(neighbour_of(line, gid).gid, 1 - gid);
                                           EXPECT_EQ(halo_topology_destroy(&line), HALO_SUCCESS);
                                           return status;
                                       });
}

TEST_F(Rows, OfPartsOfPointsAreNotTurned) {
    static const uint64_t keys[] = { 1, 2, 2, 3 };
    static const int64_t offsets[] = { 0, 2, 4 };
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = 4, desc.keys = keys, desc.numbering = HALO_NUMBERING_AS_GIVEN, desc.n_parts = 2, desc.part_offsets = offsets;
    halo_topology *points = nullptr;
    ASSERT_EQ(halo_topology_create_keys(context, &desc, &points), HALO_SUCCESS) << halo_last_error();
    for (const int64_t gid : { 0, 1 }) {
        const halo_neighbour row = neighbour_of(points, gid);
        EXPECT_EQ(row.gid, 1 - gid);
        EXPECT_EQ(row.element, HALO_ELEMENT(0, 0, 0));
        EXPECT_EQ(row.level, 0);
        EXPECT_EQ(std::to_array(row.axis), (std::array<int32_t, 3>{ 0, 1, 2 }));
        EXPECT_EQ(std::to_array(row.sign), (std::array<int32_t, 3>{ 1, 1, 1 }));
    }
    EXPECT_EQ(halo_topology_destroy(&points), HALO_SUCCESS);
}

TEST(Elements, HaveTheNumbersOfTheMacro) {
    int32_t next = 0;
    for (int32_t z = -1; z <= 1; ++z)
        for (int32_t y = -1; y <= 1; ++y)
            for (int32_t x = -1; x <= 1; ++x) {
                EXPECT_EQ(halo_element(x, y, z), next);
                EXPECT_EQ(HALO_ELEMENT(x > 0 ? 1 : x, y > 0 ? 1 : y, z > 0 ? 1 : z), next);
                ++next;
            }
}

} // namespace
