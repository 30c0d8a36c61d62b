// SPDX-License-Identifier: BSD-3-Clause
// Neighbours on the whole sphere: each relation by itself, and all against each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sphere/lattice.h"

namespace {

using namespace halo;

constexpr int32_t cells = HALO_SPHERE_CELLS, edges = HALO_SPHERE_EDGES, vertices = HALO_SPHERE_VERTICES;
constexpr int32_t kinds[] = { cells, edges, vertices };

using Keys = std::vector<uint64_t>;

class Lattice : public testing::TestWithParam<std::tuple<int32_t, int64_t>> {
protected:
    SphereLattice grid{ std::get<0>(GetParam()), std::get<1>(GetParam()) };
    int64_t n = grid.n();

    Keys row(int32_t from, uint64_t key, int32_t to) const {
        const SphereNeighbours all = grid.neighbours(grid.point_of(from, key), from, to);
        Keys keys;
        for (int32_t k = 0; k < all.n; ++k) keys.push_back(grid.key_of(to, all.points[static_cast<size_t>(k)]));
        return keys;
    }
    uint64_t count(int32_t kind) const { return static_cast<uint64_t>(grid.n_entities(kind)); }
};

INSTANTIATE_TEST_SUITE_P(Grids, Lattice,
                         testing::Combine(testing::Values(HALO_SPHERE_ICOSAHEDRON, HALO_SPHERE_OCTAHEDRON), testing::Values(1, 2, 3, 4, 7)));

std::set<uint64_t> set_of(const Keys &keys) { return { keys.begin(), keys.end() }; }

TEST_P(Lattice, EulersFormula) {
    const int64_t triangles = grid.n_parallelograms() * 2;
    EXPECT_EQ(grid.n_entities(cells), triangles * n * n);
    EXPECT_EQ(grid.n_entities(edges), triangles * 3 * n * n / 2);
    EXPECT_EQ(grid.n_entities(vertices) - grid.n_entities(edges) + grid.n_entities(cells), 2);
}

TEST_P(Lattice, KeysAndPointsAreTheSame) {
    for (const int32_t kind : kinds)
        for (uint64_t key = 0; key < count(kind); ++key) {
            const LatticePoint point = grid.point_of(kind, key);
            EXPECT_EQ(grid.home(point), point);
            EXPECT_EQ(grid.key_of(kind, point), key);
            EXPECT_EQ(grid.point_of(kind, grid.entity_of(kind, point)), point);
        }
}

// Names of each entity in all closed parallelograms; how many it has tells how many of them meet there.
TEST_P(Lattice, EveryNameIsOfOneEntity) {
    for (const int32_t kind : kinds) {
        std::map<uint64_t, int32_t> names;
        for (int32_t p = 0; p < grid.n_parallelograms(); ++p)
            for (int64_t j = 0; j <= n; ++j)
                for (int64_t i = 0; i <= n; ++i)
                    for (int32_t colour = 0; colour < sphere_colours(kind); ++colour) {
                        const bool in_i = i < n || kind == vertices || (kind == edges && colour == 1);
                        const bool in_j = j < n || kind == vertices || (kind == edges && colour == 0);
                        if (in_i && in_j) ++names[grid.key_of(kind, grid.point_of(kind, halo_sphere_entity{ p, colour, i, j }))];
                    }
        EXPECT_EQ(names.size(), count(kind));
        EXPECT_TRUE(names.contains(count(kind) - 1));
        std::map<int32_t, int64_t> by_number;
        for (const auto &[key, number] : names) ++by_number[number];
        EXPECT_EQ(by_number[2], kind == cells   ? 0
                                : kind == edges ? grid.n_parallelograms() * 2 * n
                                                : grid.n_parallelograms() * 2 * (n - 1) + (grid.n_around() == 4 ? 4 : 0));
        EXPECT_EQ(by_number[3], kind == vertices && grid.n_around() == 5 ? 10 : 0);
        EXPECT_EQ(by_number[grid.n_around()], kind == vertices ? 2 : 0);
    }
}

TEST_P(Lattice, RowsAreAsLongAsTheTablesButAtCorners) {
    for (const int32_t from : kinds)
        for (const int32_t to : kinds) {
            int64_t n_short = 0;
            for (uint64_t key = 0; key < count(from); ++key) {
                const Keys all = row(from, key, to);
                EXPECT_EQ(set_of(all).size(), all.size());
                EXPECT_FALSE(from == to && set_of(all).contains(key));
                if (std::ssize(all) == sphere_width(from, to)) continue;
                ++n_short;
                EXPECT_EQ(std::ssize(all), grid.n_around());
            }
            EXPECT_EQ(n_short, from != vertices ? 0 : grid.n_around() == 5 ? 12 : 6);
        }
}

TEST_P(Lattice, RelationsAreReciprocal) {
    for (const int32_t from : kinds)
        for (const int32_t to : kinds)
            for (uint64_t key = 0; key < count(from); ++key)
                for (const uint64_t other : row(from, key, to))
                    EXPECT_TRUE(set_of(row(to, other, from)).contains(key)) << from << " to " << to << ": " << key << ", " << other;
}

// The ends of a cell's edges are the cell's vertices, and the cells around its vertices are those that have them.
TEST_P(Lattice, RelationsAreClosed) {
    for (uint64_t key = 0; key < count(cells); ++key) {
        const Keys mine = row(cells, key, edges), across = row(cells, key, cells);
        std::map<uint64_t, int> ends;
        for (size_t k = 0; k < 3; ++k) {
            EXPECT_EQ(set_of(row(edges, mine[k], cells)), (std::set<uint64_t>{ key, across[k] }));
            for (const uint64_t end : row(edges, mine[k], vertices)) ++ends[end];
        }
        const Keys corners = row(cells, key, vertices);
        for (const uint64_t corner : corners) EXPECT_EQ(ends[corner], 2);
        EXPECT_EQ(ends.size(), 3u);
    }
}

// An edge's neighbours are its cells' other edges: of which cell each is, and at which end, the tables tell by the edge's colour.
TEST_P(Lattice, OrderAroundEdges) {
    struct Side {
        size_t cell, end;
    };
    constexpr Side order[3][4] = { { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } },
                                   { { 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, 0 } },
                                   { { 1, 1 }, { 1, 0 }, { 0, 0 }, { 0, 1 } } };
    for (uint64_t key = 0; key < count(edges); ++key) {
        const Keys sides = row(edges, key, cells), ends = row(edges, key, vertices), around = row(edges, key, edges);
        const auto &wanted = order[grid.entity_of(edges, grid.point_of(edges, key)).colour];
        for (size_t k = 0; k < 4; ++k) {
            EXPECT_TRUE(set_of(row(cells, sides[wanted[k].cell], edges)).contains(around[k])) << "edge " << key << ", place " << k;
            EXPECT_TRUE(set_of(row(vertices, ends[wanted[k].end], edges)).contains(around[k])) << "edge " << key << ", place " << k;
        }
    }
}

// Around a vertex: vertex k at the other end of edge k; cell k between edges k and k + 1.
TEST_P(Lattice, OrderAroundVertices) {
    for (uint64_t key = 0; key < count(vertices); ++key) {
        const Keys spokes = row(vertices, key, edges), ends = row(vertices, key, vertices), between = row(vertices, key, cells);
        ASSERT_EQ(spokes.size(), ends.size());
        ASSERT_EQ(spokes.size(), between.size());
        for (size_t k = 0; k < spokes.size(); ++k) {
            EXPECT_EQ(set_of(row(edges, spokes[k], vertices)), (std::set<uint64_t>{ key, ends[k] }));
            const std::set<uint64_t> sides = set_of(row(cells, between[k], edges));
            EXPECT_TRUE(sides.contains(spokes[k]) && sides.contains(spokes[(k + 1) % spokes.size()])) << "vertex " << key << ", cell " << k;
        }
    }
}

// Seen from outside, a cell's vertices go round the same way everywhere, and so do the edges around all vertices: across sides too.
TEST_P(Lattice, OneOrientation) {
    for (uint64_t key = 0; key < count(cells); ++key) {
        const Keys corners = row(cells, key, vertices);
        for (size_t k = 0; k < 3; ++k) {
            const Keys around = row(vertices, corners[k], vertices);
            const auto at = std::find(around.begin(), around.end(), corners[(k + 1) % 3]) - around.begin();
            // Both colours go clockwise: from the second vertex to the third, about the first, is one step clockwise.
            EXPECT_EQ(around[static_cast<size_t>(at + 1) % around.size()], corners[(k + 2) % 3]) << "cell " << key;
        }
    }
}

TEST_P(Lattice, OnePiece) {
    for (const int32_t kind : kinds) {
        std::vector<bool> seen(count(kind));
        Keys next{ 0 };
        seen[0] = true;
        for (size_t at = 0; at < next.size(); ++at)
            for (const uint64_t other : row(kind, next[at], kind))
                if (!seen[other]) {
                    seen[other] = true;
                    next.push_back(other);
                }
        EXPECT_EQ(next.size(), count(kind));
    }
}

// Written once more, as coordinates within one parallelogram.
TEST(LatticeTables, OfAnInnerEntity) {
    struct Entry {
        int64_t i, j;
        int32_t colour;
    };
    struct Row {
        int32_t from, colour, to;
        std::vector<Entry> entries;
    };
    const std::vector<Row> rows = {
        { cells, 0, cells, { { -1, 0, 1 }, { 0, 0, 1 }, { 0, -1, 1 } } },
        { cells, 1, cells, { { 1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 } } },
        { cells, 0, edges, { { 0, 0, 1 }, { 0, 0, 2 }, { 0, 0, 0 } } },
        { cells, 1, edges, { { 1, 0, 1 }, { 0, 0, 2 }, { 0, 1, 0 } } },
        { cells, 0, vertices, { { 1, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 } } },
        { cells, 1, vertices, { { 0, 1, 0 }, { 1, 1, 0 }, { 1, 0, 0 } } },
        { edges, 0, cells, { { 0, -1, 1 }, { 0, 0, 0 } } },
        { edges, 1, cells, { { -1, 0, 1 }, { 0, 0, 0 } } },
        { edges, 2, cells, { { 0, 0, 1 }, { 0, 0, 0 } } },
        { edges, 0, edges, { { 0, -1, 2 }, { 0, 0, 1 }, { 0, 0, 2 }, { 1, -1, 1 } } },
        { edges, 1, edges, { { -1, 0, 2 }, { -1, 1, 0 }, { 0, 0, 2 }, { 0, 0, 0 } } },
        { edges, 2, edges, { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, { 1, 0, 1 } } },
        { edges, 0, vertices, { { 1, 0, 0 }, { 0, 0, 0 } } },
        { edges, 1, vertices, { { 0, 0, 0 }, { 0, 1, 0 } } },
        { edges, 2, vertices, { { 0, 1, 0 }, { 1, 0, 0 } } },
        { vertices, 0, cells, { { -1, -1, 1 }, { -1, 0, 0 }, { -1, 0, 1 }, { 0, 0, 0 }, { 0, -1, 1 }, { 0, -1, 0 } } },
        { vertices, 0, edges, { { 0, -1, 1 }, { -1, 0, 0 }, { -1, 0, 2 }, { 0, 0, 1 }, { 0, 0, 0 }, { 0, -1, 2 } } },
        { vertices, 0, vertices, { { 0, -1, 0 }, { -1, 0, 0 }, { -1, 1, 0 }, { 0, 1, 0 }, { 1, 0, 0 }, { 1, -1, 0 } } },
    };
    const SphereLattice grid(HALO_SPHERE_ICOSAHEDRON, 8);
    for (const Row &row : rows) {
        const SphereNeighbours found = grid.neighbours(grid.point_of(row.from, halo_sphere_entity{ 7, row.colour, 4, 3 }), row.from, row.to);
        ASSERT_EQ(found.n, std::ssize(row.entries));
        for (size_t k = 0; k < row.entries.size(); ++k) {
            const halo_sphere_entity entity = grid.entity_of(row.to, found.points[k]);
            EXPECT_EQ(std::tuple(entity.parallelogram, entity.i, entity.j, entity.colour),
                      std::tuple(7, 4 + row.entries[k].i, 3 + row.entries[k].j, row.entries[k].colour))
                << row.from << " colour " << row.colour << " to " << row.to << ", place " << k;
        }
    }
}

// i fastest, then colour, then j: with six squares in a row, cell (i, colour, j) = (2, 0, 1) has number 14.
TEST(LatticeTables, OrderOfCells) {
    const SphereLattice grid(HALO_SPHERE_OCTAHEDRON, 6);
    EXPECT_EQ(grid.key_of(cells, grid.point_of(cells, halo_sphere_entity{ 0, 0, 2, 1 })), 14u);
}

} // namespace
