// SPDX-License-Identifier: BSD-3-Clause
// Rows whose size the call is told, at callers of other versions: neighbours, boundaries, joins. And numbers of elements.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
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

// Two parts of a line that fill each other's ghosts.
struct LongerJoin {
    halo_join join;
    std::array<int64_t, 2> unknown;
};

std::array<LongerJoin, 2> both_ways() {
    return { { { { 0, 1, { { 3, 0, 0 }, { 4, 1, 1 } }, { { -1, 0, 0 }, { 0, 1, 1 } }, { 0, 1, 2 }, { 1, 1, 1 } }, {} },
               { { 1, 0, { { 0, 0, 0 }, { 1, 1, 1 } }, { { 4, 0, 0 }, { 5, 1, 1 } }, { 0, 1, 2 }, { 1, 1, 1 } }, {} } } };
}

halo_status create_joined(halo_context *context, const std::array<LongerJoin, 2> &joins, size_t join_bytes, halo_topology **topology) {
    static const int64_t cells[] = { 4, 1, 1, 4, 1, 1 };
    halo_regions_desc desc = HALO_REGIONS_DESC_INIT;
    desc.n_dims = 1, desc.cells = cells, desc.n_parts = 2, desc.reach = 1;
    desc.joins = &joins[0].join, desc.join_bytes = join_bytes, desc.n_joins = 2;
    return halo_topology_create_regions(context, &desc, topology);
}

TEST_F(Rows, OfJoinsMayBeLonger) {
    halo_topology *line = nullptr;
    ASSERT_EQ(create_joined(context, both_ways(), sizeof(LongerJoin), &line), HALO_SUCCESS) << halo_last_error();
    for (const int64_t gid : { 0, 1 }) EXPECT_EQ(neighbour_of(line, gid).gid, 1 - gid);
    EXPECT_EQ(halo_topology_destroy(&line), HALO_SUCCESS);
}

TEST_F(Rows, OfJoinsThatAreNotKnownAreRefused) {
    halo_topology *line = nullptr;
    const auto refused = [&](const std::array<LongerJoin, 2> &joins, size_t bytes, halo_status status, const std::string &text) {
        EXPECT_EQ(create_joined(context, joins, bytes, &line), status);
        EXPECT_NE(std::string(halo_last_error()).find(text), std::string::npos) << halo_last_error();
        EXPECT_EQ(line, nullptr);
    };
    std::array<LongerJoin, 2> joins = both_ways();
    refused(joins, 0, HALO_ERR_VERSION, "halo_join 0 has 0 bytes, the smallest known is 136");
    refused(joins, 135, HALO_ERR_VERSION, "halo_join 0 has 135 bytes, the smallest known is 136");
    refused(joins, 4097, HALO_ERR_LIMIT, "halo_join: its size 4097 exceeds 4096");
    joins[1].unknown[1] = 1;
    refused(joins, sizeof(LongerJoin), HALO_ERR_VERSION, "halo_join 1 has 152 bytes, of which this library knows 136, and the rest is not zero");
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
