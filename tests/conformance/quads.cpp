// SPDX-License-Identifier: BSD-3-Clause
// Cubed spheres against walks from cell to cell over their sides, latitudes and longitudes against places and directions in space.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grid.h"
#include "halo_sphere.h"
#include "placed.h"
#include "ranks.h"

namespace conformance {

namespace {

using Values = std::array<double, 3>;

// A grid of charts, as all ranks know it.
struct Quads {
    int32_t n_charts = 1;
    int64_t cells[2] = { 1, 1 }, parts[2] = { 1, 1 };
    int64_t levels = 0;
    int32_t reach = 1;
    std::vector<int32_t> owner; // empty: the library's
    double error = 0;           // that values may have

    virtual ~Quads() = default;
    virtual halo_topology *make(halo_context *context) const = 0;
    // Of a cell of a chart, or of a ghost beyond its sides: a triple of scalars, and a vector. None: it is nobody's.
    virtual std::optional<std::pair<Values, Values>> at(int32_t chart, int64_t x, int64_t y, int64_t z) const = 0;

    int32_t n_dims() const { return levels > 0 ? 3 : 2; }
    const int32_t *owners() const { return owner.empty() ? nullptr : owner.data(); }
    void cut(Random &random, int32_t n_ranks) {
        for (int d = 0; d < 2; ++d) parts[d] = pick(random, 1, cells[d]);
        if (n_charts > 1) parts[1] = parts[0];
        levels = pick(random, 0, 2);
        reach = static_cast<int32_t>(pick(random, 0, std::min(cells[0], cells[1])));
        if (chance(random, 0.5)) return;
        for (int64_t part = 0; part < n_charts * parts[0] * parts[1]; ++part) owner.push_back(static_cast<int32_t>(pick(random, 0, n_ranks - 1)));
    }
};

// ---- the cube

using Corner = std::array<int64_t, 3>; // in space
using Side = std::pair<Corner, Corner>;

struct CubeFace {
    Corner right, up, out;
};
const CubeFace cube_faces[] = { { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } },   { { -1, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 } },
                                { { 0, -1, 0 }, { 0, 0, 1 }, { -1, 0, 0 } }, { { 1, 0, 0 }, { 0, 0, 1 }, { 0, -1, 0 } },
                                { { 0, 1, 0 }, { -1, 0, 0 }, { 0, 0, 1 } },  { { 0, 1, 0 }, { 1, 0, 0 }, { 0, 0, -1 } } };

struct CubeCell {
    int32_t face;
    int64_t at[2];
};

class Cube final : public Quads {
public:
    Cube(Random &random, int32_t n_ranks) {
        n_charts = 6;
        cells[0] = cells[1] = pick(random, 1, 5);
        cut(random, n_ranks);
        for (int32_t face = 0; face < 6; ++face)
            for (int64_t j = 0; j < cells[0]; ++j)
                for (int64_t i = 0; i < cells[0]; ++i)
                    for (int side = 0; side < 4; ++side) {
                        const auto [a, b] = side_of({ face, { i, j } }, side);
                        beside_[std::minmax(a, b)].push_back({ face, { i, j } });
                    }
    }
    halo_topology *make(halo_context *context) const override {
        halo_cubed_sphere_desc desc = HALO_CUBED_SPHERE_DESC_INIT;
        desc.n = cells[0];
        desc.parts_per_side = static_cast<int32_t>(parts[0]);
        desc.levels = levels;
        desc.reach = reach;
        desc.owner = owners();
        halo_topology *topology = nullptr;
        OK(halo_topology_create_cubed_sphere(context, &desc, &topology));
        return topology;
    }
    std::optional<std::pair<Values, Values>> at(int32_t face, int64_t x, int64_t y, int64_t z) const override;

private:
    // Of sides 0 to 3: low x, high x, low y, high y; from the low end to the high one.
    Side side_of(const CubeCell &cell, int side) const {
        const int64_t far = side % 2;
        if (side < 2) return { corner(cell, far, 0), corner(cell, far, 1) };
        return { corner(cell, 0, far), corner(cell, 1, far) };
    }
    Corner corner(const CubeCell &cell, int64_t x, int64_t y) const {
        const CubeFace &face = cube_faces[cell.face];
        const int64_t n = cells[0], right = 2 * (cell.at[0] + x) - n, up = 2 * (cell.at[1] + y) - n;
        Corner point;
        for (size_t d = 0; d < 3; ++d) point[d] = n * face.out[d] + right * face.right[d] + up * face.up[d];
        return point;
    }
    CubeCell other_cell(const CubeCell &cell, const Side &side) const {
        for (const CubeCell &one : beside_.at(std::minmax(side.first, side.second)))
            if (one.face != cell.face || one.at[0] != cell.at[0] || one.at[1] != cell.at[1]) return one;
        stop("a cell of face %d has no neighbour", cell.face);
    }
    std::pair<Values, Values> own(const CubeCell &cell, int64_t z) const {
        const auto number = static_cast<double>(((cell.face * cells[1] + cell.at[1]) * cells[0] + cell.at[0]) * 3 + z);
        return { { number, number + 0.25, number + 0.5 }, { 3 * number + 1, 3 * number + 2, 3 * number + 3 } };
    }

    std::map<std::pair<Corner, Corner>, std::vector<CubeCell>> beside_;
};

std::optional<std::pair<Values, Values>> Cube::at(int32_t face, int64_t x, int64_t y, int64_t z) const {
    const int64_t n = cells[0], place[] = { x, y };
    const bool beyond[] = { x < 0 || x >= n, y < 0 || y >= n };
    if (beyond[0] && beyond[1]) return std::nullopt;
    if (!beyond[0] && !beyond[1]) return own({ face, { x, y } }, z);
    const size_t out = beyond[0] ? 0 : 1, along = 1 - out;
    const bool upwards = place[out] >= n;
    CubeCell cell{ face, { x, y } };
    cell.at[out] = upwards ? n - 1 : 0;
    Side crossed = side_of(cell, static_cast<int>(2 * out) + (upwards ? 1 : 0));
    size_t goes_along = 0;
    bool goes_up = true, same_way = true;
    for (int64_t steps = upwards ? place[out] - n + 1 : -place[out]; steps > 0; --steps) {
        cell = other_cell(cell, crossed);
        for (int entered = 0; entered < 4; ++entered) {
            const Side side = side_of(cell, entered);
            same_way = side == crossed;
            if (!same_way && side != Side{ crossed.second, crossed.first }) continue;
            goes_along = static_cast<size_t>(entered / 2);
            goes_up = entered % 2 == 0;
            const Side opposite = side_of(cell, entered ^ 1);
            crossed = same_way ? opposite : Side{ opposite.second, opposite.first };
            break;
        }
    }
    auto [scalars, vector] = own(cell, z);
    Values turned = vector;
    turned[out] = (goes_up == upwards ? 1 : -1) * vector[goes_along];
    turned[along] = (same_way ? 1 : -1) * vector[1 - goes_along];
    return std::pair{ scalars, turned };
}

// ---- latitudes and longitudes

class Latitudes final : public Quads {
public:
    Latitudes(Random &random, int32_t n_ranks) : poles_(chance(random, 0.7)) {
        cells[0] = pick(random, 1, 6);
        cells[1] = pick(random, 1, 5);
        if (poles_) cells[0] += cells[0] % 2;
        cut(random, n_ranks);
        error = 1e-13;
    }
    halo_topology *make(halo_context *context) const override {
        halo_latitudes_desc desc = HALO_LATITUDES_DESC_INIT;
        std::copy_n(cells, 2, desc.cells);
        std::copy_n(parts, 2, desc.parts);
        desc.poles = poles_;
        desc.levels = levels;
        desc.reach = reach;
        desc.owner = owners();
        halo_topology *topology = nullptr;
        OK(halo_topology_create_latitudes(context, &desc, &topology));
        return topology;
    }
    // Of the place, and of one vector in space along the directions there; beyond a pole both go straight on.
    std::optional<std::pair<Values, Values>> at(int32_t, int64_t x, int64_t y, int64_t z) const override {
        if (!poles_ && (y < 0 || y >= cells[1])) return std::nullopt;
        constexpr double pi = std::numbers::pi;
        const double longitude = (static_cast<double>(x) + 0.5) * 2 * pi / static_cast<double>(cells[0]);
        const double latitude = (static_cast<double>(y) + 0.5) * pi / static_cast<double>(cells[1]) - pi / 2;
        const double level = 1 + static_cast<double>(z), east[] = { -std::sin(longitude), std::cos(longitude), 0 };
        const double north[] = { -std::sin(latitude) * std::cos(longitude), -std::sin(latitude) * std::sin(longitude), std::cos(latitude) };
        const double up[] = { std::cos(latitude) * std::cos(longitude), std::cos(latitude) * std::sin(longitude), std::sin(latitude) };
        const double wind[] = { 0.7, -1.3, 0.4 };
        std::pair<Values, Values> values{};
        for (size_t d = 0; d < 3; ++d) {
            values.first[d] = level * up[d];
            values.second[0] += level * wind[d] * east[d];
            values.second[1] += level * wind[d] * north[d];
            values.second[2] += level * wind[d] * up[d];
        }
        return values;
    }

private:
    bool poles_;
};

// ---- both

constexpr double untouched = -99;

class Fields {
public:
    Fields(const Quads &grid, halo_context *context) : grid_(grid), topology_(grid.make(context)) {
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = grid.reach;
        desc.n_components = 3;
        desc.name = "scalars";
        OK(halo_field_create(topology_, &desc, &fields_[0]));
        desc.n_components = grid.n_dims();
        desc.name = "vector";
        desc.vector = 1;
        OK(halo_field_create(topology_, &desc, &fields_[1]));
        for (halo_field *field : fields_) allocate_storage(topology_, field);
    }
    void check();
    void destroy() {
        for (halo_field *&field : fields_) OK(halo_field_destroy(&field));
        OK(halo_topology_destroy(&topology_));
    }

private:
    template <class Visit>
    void visit(bool ghosts, Visit &&visit) const;

    const Quads &grid_;
    halo_topology *topology_;
    halo_field *fields_[2] = {};
};

// Each value of this rank's parts, with the one that it should be: none of nobody's.
template <class Visit>
void Fields::visit(bool ghosts, Visit &&visit) const {
    const int64_t *gids = nullptr;
    int64_t n = 0;
    OK(halo_topology_local_parts(topology_, &gids, &n));
    for (int64_t p = 0; p < n; ++p) {
        halo_part part = HALO_PART_INIT;
        OK(halo_topology_part(topology_, gids[p], &part));
        const auto chart = static_cast<int32_t>(gids[p] / (grid_.parts[0] * grid_.parts[1]));
        const int64_t widest = ghosts ? grid_.reach : 0;
        for (int field = 0; field < 2; ++field) {
            halo_layout layout = HALO_LAYOUT_INIT;
            OK(halo_field_layout(fields_[field], gids[p], &layout));
            void *const data = storage_of(fields_[field], gids[p]);
            for (int64_t z = 0; z < part.cells.high[2]; ++z)
                for (int64_t y = part.cells.low[1] - widest; y < part.cells.high[1] + widest; ++y)
                    for (int64_t x = part.cells.low[0] - widest; x < part.cells.high[0] + widest; ++x) {
                        double *at = static_cast<double *>(data) + layout.first_owned + (x - part.cells.low[0]) * layout.stride[0] +
                                     (y - part.cells.low[1]) * layout.stride[1] + z * layout.stride[2];
                        const auto values = grid_.at(chart, x, y, z);
                        for (int32_t c = 0; c < (field == 0 ? 3 : grid_.n_dims()); ++c)
                            visit(at[c * layout.component_stride],
                                  values ? std::optional((field == 0 ? values->first : values->second)[static_cast<size_t>(c)]) : std::nullopt,
                                  text_of("part %lld, cell (%lld, %lld, %lld), component %d of %s", static_cast<long long>(gids[p]),
                                          static_cast<long long>(x), static_cast<long long>(y), static_cast<long long>(z), c,
                                          field == 0 ? "the scalars" : "the vector"));
                    }
        }
    }
}

void Fields::check() {
    visit(true, [](double &value, const std::optional<double> &, const std::string &) { value = untouched; });
    visit(false, [](double &value, const std::optional<double> &right, const std::string &) { value = *right; });
    for (const halo_field *field : fields_) upload(field);
    halo_exchange *exchange = nullptr;
    OK(halo_exchange_create(fields_, 2, nullptr, &exchange));
    OK(halo_exchange_start(exchange, nullptr, stream()));
    OK(halo_exchange_finish(exchange, finish_stream()));
    OK(halo_exchange_destroy(&exchange));
    for (const halo_field *field : fields_) download(field);
    visit(true, [&](const double &value, const std::optional<double> &right, const std::string &where) {
        if (!(std::fabs(value - right.value_or(untouched)) <= grid_.error))
            stop("%s: %.17g, not %.17g", where.c_str(), value, right.value_or(untouched));
    });
}

class Quadrilaterals : public testing::TestWithParam<int32_t> {};

template <class Grid>
void check_random(int32_t n_ranks, int64_t n_grids) {
    run(n_ranks, {}, [&](Rank &rank) {
        for (uint64_t number = 0; number < static_cast<uint64_t>(n_drawn(n_grids)); ++number) {
            begin_case(number);
            Random random(number * 7919 + 5);
            const Grid grid(random, rank.size);
            Fields fields(grid, rank.context);
            fields.check();
            fields.destroy();
        }
    });
}

TEST_P(Quadrilaterals, OfACubeGoStraightOn) { check_random<Cube>(GetParam(), 30); }

TEST_P(Quadrilaterals, BeyondAPoleLieOnTheOtherSide) { check_random<Latitudes>(GetParam(), 60); }

INSTANTIATE_TEST_SUITE_P(Ranks, Quadrilaterals, testing::ValuesIn(rank_counts()));

template <class Desc, class Change>
void refuse(halo_status (*create)(halo_context *, const Desc *, halo_topology **), const Desc &desc, halo_status status, const char *text,
            Change &&change) {
    run(threads() ? 2 : 0, {}, [&](Rank &rank) {
        Desc own = desc;
        change(own, rank);
        halo_topology *topology = nullptr;
        const halo_status got = create(rank.context, &own, &topology);
        if (got != status || !std::strstr(halo_last_error(), text))
            stop("%s, not %s: %s", halo_status_name(got), halo_status_name(status), halo_last_error());
    });
}

TEST(QuadrilateralsRefused, SayWhy) {
    halo_cubed_sphere_desc cube = HALO_CUBED_SPHERE_DESC_INIT;
    cube.n = 4;
    const auto cubed = [&](halo_status status, const char *text, auto &&change) {
        refuse(halo_topology_create_cubed_sphere, cube, status, text, change);
    };
    cubed(HALO_ERR_ARGUMENT, "cubed sphere: 4 cells in direction 0, in 5 parts", [](auto &desc, Rank &) { desc.parts_per_side = 5; });
    cubed(HALO_ERR_ARGUMENT, "cubed sphere: reach is 5, where there are 4 cells", [](auto &desc, Rank &) { desc.reach = 5; });
    cubed(HALO_ERR_ARGUMENT, "cubed sphere: -1 levels", [](auto &desc, Rank &) { desc.levels = -1; });
    cubed(HALO_ERR_LIMIT, "cubed sphere: cells in direction 0", [](auto &desc, Rank &) { desc.n = int64_t{ 1 } << 31; });
    cubed(HALO_ERR_LIMIT, "cubed sphere: the number of parts", [](auto &desc, Rank &) { desc.n = 100000, desc.parts_per_side = 100000; });
    cubed(HALO_ERR_MISMATCH, "cells of rank", [](auto &desc, Rank &rank) { desc.n = 4 + rank.rank; });
    halo_latitudes_desc latitudes = HALO_LATITUDES_DESC_INIT;
    latitudes.cells[0] = 6, latitudes.cells[1] = 3;
    const auto latitude = [&](halo_status status, const char *text, auto &&change) {
        refuse(halo_topology_create_latitudes, latitudes, status, text, change);
    };
    latitude(HALO_ERR_ARGUMENT, "7 cells around, of which none is opposite", [](auto &desc, Rank &) { desc.cells[0] = 7; });
    latitude(HALO_ERR_ARGUMENT, "reach is 4, where there are 3 cells in direction 1", [](auto &desc, Rank &) { desc.reach = 4; });
    latitude(HALO_ERR_ARGUMENT, "0 parts", [](auto &desc, Rank &) { desc.parts[1] = 0; });
}

} // namespace

} // namespace conformance
