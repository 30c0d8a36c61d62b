// SPDX-License-Identifier: BSD-3-Clause
// Views of parts, and fills of ghosts outside the domain, against what each ghost must be.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <ranges>
#include <tuple>

#include "halo_views.hpp"

namespace {

using halo::Index;

constexpr int64_t n_cells = 4;
constexpr int32_t width = 2;

halo::Topology cube(const halo::Context &context, int32_t n_dims, int64_t n_blocks) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = n_dims;
    for (int d = 0; d < n_dims; ++d) desc.n_blocks[d] = n_blocks, desc.n_cells[d] = n_cells;
    return { context, desc };
}

halo_field_desc wide(int32_t n_dims, int32_t centring = HALO_CENTRE_CELL, int32_t n_components = 1) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "u";
    desc.centring = centring;
    desc.n_components = n_components;
    for (int d = 0; d < n_dims; ++d) desc.ghost_low[d] = desc.ghost_high[d] = width;
    return desc;
}

void fill_ghosts_inside(halo::Field &field) {
    halo::Exchange exchange({ field.get() });
    exchange.start();
    exchange.finish();
}

TEST(Views, ReadTheLayoutThatAPartHas) {
    const halo::Context context;
    const halo::Topology line = cube(context, 1, 1);
    halo::Field u(line, wide(1, HALO_CENTRE_CELL, 2));
    EXPECT_FALSE(halo::view(u, 0));
    std::vector<double> memory(40, -1.0);
    halo_layout layout = HALO_LAYOUT_INIT; // backwards, components side by side
    layout.elements = 40, layout.first_owned = 20, layout.stride[0] = -2, layout.component_stride = 1;
    halo_binding binding = HALO_BINDING_INIT;
    binding.data = memory.data(), binding.layout = &layout;
    u.bind(0, binding);
    const auto view = halo::view(u, 0);
    ASSERT_TRUE(view);
    view(1, 0, 0, 1) = 7;
    EXPECT_EQ(memory[20 - 2 + 1], 7);
    EXPECT_EQ(view.component(1)(1), 7);
    EXPECT_EQ(&view(Index{ 2, 0, 0 }), &memory[16]);
    EXPECT_EQ(view.first_owned(), &memory[20]);
}

TEST(Views, OfOnePlaceBeginAtIt) {
    const halo::Context context;
    const halo::Topology grid = cube(context, 2, 1);
    halo::Field u(grid, wide(2, HALO_CENTRE_FACES));
    u.allocate();
    const auto view = halo::view(u, 0);
    EXPECT_EQ(view.place(1).first_owned() - view.first_owned(), u.layout(0).place_stride);
    EXPECT_FALSE(halo::View<double>().place(1));
}

TEST(Views, BoxesAreRangesOfIndices) {
    static_assert(std::ranges::forward_range<halo::Indices>);
    const halo_box box{ { -1, 2, 0 }, { 1, 4, 3 } };
    std::vector<Index> called, listed;
    halo::for_each(box, [&](int64_t i, int64_t j, int64_t k) { called.push_back({ i, j, k }); });
    for (const Index at : halo::indices(box)) listed.push_back(at);
    EXPECT_EQ(listed, called);
    EXPECT_EQ(listed.size(), 12u);
    for (int d = 0; d < 3; ++d) {
        halo_box none = box;
        none.high[d] = none.low[d];
        EXPECT_TRUE(halo::indices(none).empty());
        for (const Index at : halo::indices(none)) ADD_FAILURE() << at[0];
    }
}

// Interiors and rims of all parts are their owned cells, each once.
TEST(Views, InteriorsAndRims) {
    const halo::Context context;
    const halo::Topology grid = cube(context, 2, 3);
    halo::Field u(grid, wide(2));
    u.allocate();
    for (const int32_t reach : { 0, 1, 2 }) {
        std::map<std::pair<int64_t, Index>, int> times;
        const auto count = [&](const std::vector<halo::PartBox> &boxes) {
            for (const auto &[gid, cells] : boxes)
                for (const Index at : halo::indices(cells)) ++times[{ gid, at }];
        };
        count(halo::interiors(grid, u, reach));
        const int64_t inner = n_cells - 2 * reach;
        EXPECT_EQ(std::ssize(times), inner > 0 ? 9 * inner * inner : 0) << reach;
        count(halo::rims(grid, u, reach));
        EXPECT_EQ(std::ssize(times), 9 * n_cells * n_cells) << reach;
        for (const auto &[at, n] : times) EXPECT_EQ(n, 1) << reach;
    }
    EXPECT_TRUE(halo::rims(grid, u, 0).empty());
    EXPECT_EQ(halo::interiors(grid, u, 2).size(), 0u);
}

TEST(Views, SidesOfAllParts) {
    const halo::Context context;
    const halo::Topology grid = cube(context, 2, 2);
    halo::Field u(grid, wide(2));
    u.allocate();
    size_t n = 0;
    for (const std::int64_t gid : grid.local_parts()) n += halo::sides(grid, u, gid).size();
    const std::vector<halo::PartSide> all = halo::all_sides(grid, u);
    EXPECT_EQ(all.size(), n);
    EXPECT_EQ(all.front().gid, 0);
    EXPECT_EQ(all.back().gid, 3);
}

// In directions that there are none of, all places have one layer.
TEST(Views, SidesOfNodesInTwoDimensions) {
    const halo::Context context;
    const halo::Topology grid = cube(context, 2, 1);
    halo::Field u(grid, wide(2, HALO_CENTRE_NODE));
    u.allocate();
    const std::vector<halo::Side> all = halo::sides(grid, u, 0, HALO_CENTRE_NODE);
    EXPECT_EQ(all.size(), 8u);
    for (const halo::Side &side : all) {
        EXPECT_EQ(side.last, (Index{ n_cells, n_cells, 0 }));
        EXPECT_TRUE(side.on_border[0] && side.on_border[1] && !side.on_border[2]);
    }
}

TEST(Views, BoxesAreWalkedInTheOrderOfMemory) {
    std::vector<Index> seen;
    halo::for_each({ { -1, 2, 0 }, { 1, 4, 1 } }, [&](int64_t i, int64_t j, int64_t k) { seen.push_back({ i, j, k }); });
    EXPECT_EQ(seen, (std::vector<Index>{ { -1, 2, 0 }, { 0, 2, 0 }, { -1, 3, 0 }, { 0, 3, 0 } }));
}

TEST(Views, PartsAreThoseOfThisRank) {
    const halo::Context context;
    const halo::Topology grid = cube(context, 2, 2);
    const auto all = halo::parts(grid);
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[3].gid, grid.local_parts()[3]);
    EXPECT_EQ(halo::owned_cells(all[3]).high[1], n_cells);
}

// ---- fills, over a domain of two blocks in each direction

// Where a point lies in the domain, in half cells.
int64_t half_cells(const halo_part &part, const halo::Side &side, const Index &at, size_t d) {
    return 2 * (part.cells.low[d] + at[d]) + (side.on_border[d] ? 0 : 1);
}

struct World {
    int32_t n_dims, centring, n_places;
};
class Fills : public testing::TestWithParam<World> {
protected:
    halo::Context context;
    halo::Topology grid = cube(context, GetParam().n_dims, 2);

    // Calls visit(part, side, view) for all, with ghosts of other parts there; `value(half cells of a point, place)` are the owned values.
    template <class Value, class Visit>
    void each_side(Value &&value, Visit &&visit) {
        halo::Field u(grid, wide(GetParam().n_dims, GetParam().centring));
        u.allocate();
        for (const halo_part &part : halo::parts(grid)) set_owned(part, halo::view(u, part.gid), value);
        fill_ghosts_inside(u);
        for (const halo_part &part : halo::parts(grid))
            for (const halo::Side &side : halo::sides(grid, u, part.gid, GetParam().centring)) visit(part, side, halo::view(u, part.gid));
    }
    template <class Value>
    void set_owned(const halo_part &part, const halo::View<double> &view, Value &&value) {
        for (int32_t place = 0; place < GetParam().n_places; ++place) {
            const int32_t bits = halo::detail::bits_of_place(GetParam().centring, place, GetParam().n_dims);
            halo_box box = halo::owned_cells(part);
            for (int d = 0; d < GetParam().n_dims; ++d) box.high[d] += bits >> d & 1;
            halo::for_each(box, [&](int64_t i, int64_t j, int64_t k) {
                const Index at{ i, j, k };
                Index half{};
                for (size_t d = 0; d < 3; ++d) half[d] = 2 * (part.cells.low[d] + at[d]) + (bits >> d & 1 ? 0 : 1);
                view.place(place)(at) = value(half, place);
            });
        }
    }
    Index place_of(const halo_part &part, const halo::Side &side, const Index &at) const {
        Index half{};
        for (size_t d = 0; d < 3; ++d) half[d] = half_cells(part, side, at, d);
        return half;
    }
    // Every ghost of a side.
    template <class Right>
    void expect_all(const halo_part &part, const halo::Side &side, const halo::View<double> &view, Right &&right) {
        halo::for_each(side.ghosts, [&](int64_t i, int64_t j, int64_t k) {
            const Index at{ i, j, k }, half = place_of(part, side, at);
            ASSERT_EQ(view.place(side.place)(at), right(half))
                << "part " << part.gid << ", element " << side.element << ", place " << side.place << ", at " << i << " " << j << " " << k;
            ++n_compared;
        });
    }
    int64_t n_compared = 0;
};

double linear(const Index &half, int32_t place) { return static_cast<double>(3 * half[0] - 5 * half[1] + 11 * half[2] + 1000 * place); }

TEST_P(Fills, LinearFunctionsGoOn) {
    each_side(linear, [&](const halo_part &part, const halo::Side &side, const halo::View<double> &view) {
        halo::fill_extrapolated(view, side, {}, 1);
        expect_all(part, side, view, [&](const Index &half) { return linear(half, side.place); });
    });
    EXPECT_GT(n_compared, 0);
}

TEST_P(Fills, TheNearestPointIsRepeated) {
    const int64_t end = 2 * 2 * n_cells;
    each_side(linear, [&](const halo_part &part, const halo::Side &side, const halo::View<double> &view) {
        halo::fill_extrapolated(view, side, {}, 0);
        expect_all(part, side, view, [&](Index half) {
            for (size_t d = 0; d < static_cast<size_t>(GetParam().n_dims); ++d) {
                const int64_t border = side.on_border[d] ? 0 : 1;
                half[d] = std::clamp(half[d], border, end - border);
            }
            return linear(half, side.place);
        });
    });
    EXPECT_GT(n_compared, 0);
}

TEST_P(Fills, WallsMirror) {
    const int64_t end = 2 * 2 * n_cells;
    each_side(linear, [&](const halo_part &part, const halo::Side &side, const halo::View<double> &view) {
        halo::fill_mirror(view, side, {});
        expect_all(part, side, view, [&](Index half) {
            for (size_t d = 0; d < static_cast<size_t>(GetParam().n_dims); ++d)
                half[d] = half[d] < 0 ? -half[d] : half[d] > end ? 2 * end - half[d] : half[d];
            return linear(half, side.place);
        });
    });
    EXPECT_GT(n_compared, 0);
}

TEST_P(Fills, ConstantsAndFunctions) {
    each_side(linear, [&](const halo_part &part, const halo::Side &side, const halo::View<double> &view) {
        halo::fill_constant(view, side, {}, 4.5);
        expect_all(part, side, view, [](const Index &) { return 4.5; });
        halo::fill_by(view, side, {}, [&](const Index &at, int64_t) { return linear(place_of(part, side, at), 7); });
        expect_all(part, side, view, [](const Index &half) { return linear(half, 7); });
    });
}

INSTANTIATE_TEST_SUITE_P(Worlds, Fills,
                         testing::Values(World{ 1, HALO_CENTRE_CELL, 1 }, World{ 2, HALO_CENTRE_CELL, 1 }, World{ 3, HALO_CENTRE_CELL, 1 },
                                         World{ 1, HALO_CENTRE_NODE, 1 }, World{ 2, HALO_CENTRE_NODE, 1 }, World{ 3, HALO_CENTRE_NODE, 1 },
                                         World{ 2, HALO_CENTRE_FACE_Y, 1 }, World{ 3, HALO_CENTRE_EDGE_X, 1 }, World{ 2, HALO_CENTRE_FACES, 2 },
                                         World{ 3, HALO_CENTRE_FACES, 3 }, World{ 2, HALO_CENTRE_EDGES, 1 }, World{ 3, HALO_CENTRE_EDGES, 3 }));

TEST(Walls, TurnTheComponentThatPointsAtThem) {
    const halo::Context context;
    const halo::Topology grid = cube(context, 2, 1);
    halo::Field u(grid, wide(2, HALO_CENTRE_CELL, 4)); // density, momentum x, y, energy
    u.allocate();
    const auto view = halo::view(u, 0);
    for (int64_t c = 0; c < 4; ++c)
        halo::for_each({ { 0, 0, 0 }, { n_cells, n_cells, 1 } },
                       [&](int64_t i, int64_t j, int64_t) { view(i, j, 0, c) = 1.0 + static_cast<double>(c); });
    for (const halo::Side &side : halo::sides(grid, u, 0)) halo::fill_mirror(view, side, { 0, 4 }, 1);
    const auto at = [&](int64_t i, int64_t j) { return std::tuple(view(i, j, 0, 0), view(i, j, 0, 1), view(i, j, 0, 2), view(i, j, 0, 3)); };
    EXPECT_EQ(at(-1, 2), std::tuple(1.0, -2.0, 3.0, 4.0));
    EXPECT_EQ(at(2, n_cells), std::tuple(1.0, 2.0, -3.0, 4.0));
    EXPECT_EQ(at(-2, n_cells + 1), std::tuple(1.0, -2.0, -3.0, 4.0));
}

TEST(Walls, OfSomeComponentsLeaveTheOthersAlone) {
    const halo::Context context;
    const halo::Topology grid = cube(context, 1, 1);
    halo::Field u(grid, wide(1, HALO_CENTRE_CELL, 3));
    u.allocate();
    const auto view = halo::view(u, 0);
    for (const halo::Side &side : halo::sides(grid, u, 0)) halo::fill_constant(view, side, { 1, 1 }, 9.0);
    EXPECT_EQ(std::tuple(view(-1, 0, 0, 0), view(-1, 0, 0, 1), view(-1, 0, 0, 2)), std::tuple(0.0, 9.0, 0.0));
}

TEST(Walls, AtAHoleLeadAwayFromThePart) {
    const halo::Context context;
    const halo_box two[] = { { { 0, 0, 0 }, { 4, 1, 1 } }, { { 8, 0, 0 }, { 12, 1, 1 } } };
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 1, desc.domain.high[0] = 12, desc.periodic[0] = 1, desc.boxes = two, desc.n_boxes = 2;
    const halo::Topology grid(context, desc);
    const halo::Field u(grid, wide(1));
    const auto sides = halo::sides(grid, u, 0);
    ASSERT_EQ(sides.size(), 1u);
    EXPECT_EQ(sides[0].outward, (Index{ 1, 0, 0 }));
    EXPECT_EQ(sides[0].mirrored({ 4, 0, 0 }), (Index{ 3, 0, 0 }));
}

TEST(Walls, OtherOrdersAreRefused) {
    const halo::Context context;
    const halo::Topology grid = cube(context, 1, 1);
    halo::Field u(grid, wide(1));
    u.allocate();
    EXPECT_THROW(halo::fill_extrapolated(halo::view(u, 0), halo::sides(grid, u, 0)[0], {}, 2), halo::error);
}

} // namespace
