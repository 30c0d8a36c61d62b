// SPDX-License-Identifier: BSD-3-Clause
// Ghosts of uniform blocks that reach over several of them, and around periodic domains: which cell each is, what lies outside, and sums in reverse.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "grid.h"
#include "ranks.h"

namespace {

using namespace conformance;

constexpr double outside = -1, untouched = -2;

struct Wide {
    Grid grid;
    Ghosts ghosts;
    int32_t stencil = HALO_STENCIL_FULL;

    Wide(uint64_t number, int32_t n_ranks) {
        Random random(number);
        grid.n_dims = static_cast<int32_t>(pick(random, 1, 3));
        for (size_t d = 0; d < static_cast<size_t>(grid.n_dims); ++d) {
            grid.cells[d] = pick(random, 1, 3);
            grid.blocks[d] = pick(random, 1, grid.n_dims == 3 ? 3 : 5);
            grid.periodic[d] = chance(random, 0.5);
            const int64_t domain = grid.cells[d] * grid.blocks[d], most = grid.periodic[d] ? 2 * domain : domain;
            ghosts.low[d] = static_cast<int32_t>(pick(random, 0, std::min<int64_t>(most, 6)));
            ghosts.high[d] = static_cast<int32_t>(pick(random, 0, std::min<int64_t>(most, 6)));
        }
        if (chance(random, 0.3)) stencil = chance(random, 0.5) ? HALO_STENCIL_FACES : HALO_STENCIL_EDGES;
        grid.order = chance(random, 0.5) ? HALO_ORDER_ROWS : HALO_ORDER_MORTON;
        if (chance(random, 0.5))
            grid.place_at_random(n_ranks, random);
        else
            grid.place_by_curve(n_ranks);
        grid.number();
    }
};

class OnGrid {
public:
    OnGrid(const Wide &wide, const Rank &rank) : wide_(wide) {
        const halo_blocks_desc blocks = wide.grid.desc();
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = "u";
        std::copy(wide.ghosts.low.begin(), wide.ghosts.low.end(), desc.ghost_low);
        std::copy(wide.ghosts.high.begin(), wide.ghosts.high.end(), desc.ghost_high);
        OK(halo_topology_create_blocks(rank.context, &blocks, &topology_));
        OK(halo_field_create(topology_, &desc, &field_));
        OK(halo_field_allocate(field_, -1));
        gids_ = wide.grid.local(rank.rank);
        for (const int32_t kind : { HALO_KIND_GHOSTS, HALO_KIND_REVERSE }) {
            halo_exchange_desc how = HALO_EXCHANGE_DESC_INIT;
            how.kind = kind, how.stencil = wide.stencil, how.op = kind == HALO_KIND_REVERSE ? HALO_SUM : how.op;
            OK(halo_exchange_create(&field_, 1, &how, kind == HALO_KIND_REVERSE ? &reverse_ : &ghosts_));
        }
    }
    ~OnGrid() {
        halo_exchange_destroy(&reverse_);
        halo_exchange_destroy(&ghosts_);
        halo_field_destroy(&field_);
        halo_topology_destroy(&topology_);
    }
    OnGrid(const OnGrid &) = delete;
    OnGrid &operator=(const OnGrid &) = delete;

    void check_ghosts() {
        for_each([&](int64_t, const Triple &cell, const Triple *global, double &value) { value = is_owned(cell) ? number(*global) : untouched; });
        for_each_boundary([&](double &value) { value = outside; });
        run(ghosts_);
        for_each([&](int64_t gid, const Triple &cell, const Triple *global, double &value) {
            const bool filled = is_owned(cell) || in_stencil(side_of(wide_.grid, cell), wide_.stencil);
            const double wanted = !global ? outside : filled ? number(*global) : untouched;
            if (value != wanted) stop_at(gid, cell, value, wanted);
        });
    }
    // Each ghost gives one.
    void check_reverse() {
        std::map<Triple, double> sums;
        for (int64_t gid = 0; gid < wide_.grid.n_blocks(); ++gid)
            for_each_cell([&](const Triple &cell) {
                Triple global;
                if (!is_owned(cell) && in_stencil(side_of(wide_.grid, cell), wide_.stencil) && find(gid, cell, global)) sums[global] += 1;
            });
        for_each([&](int64_t, const Triple &cell, const Triple *global, double &value) { value = is_owned(cell) ? number(*global) : 1; });
        run(reverse_);
        for_each([&](int64_t gid, const Triple &cell, const Triple *global, double &value) {
            if (is_owned(cell) && value != number(*global) + sums[*global]) stop_at(gid, cell, value, number(*global) + sums[*global]);
        });
    }

private:
    static void run(halo_exchange *exchange) {
        OK(halo_exchange_start(exchange, nullptr, HALO_STREAM_NONE));
        OK(halo_exchange_finish(exchange, HALO_STREAM_NONE));
    }
    double number(const Triple &global) const {
        const Grid &grid = wide_.grid;
        return static_cast<double>(global[0] + grid.blocks[0] * grid.cells[0] * (global[1] + grid.blocks[1] * grid.cells[1] * global[2]));
    }
    bool is_owned(const Triple &cell) const { return side_of(wide_.grid, cell) == Triple{}; }
    // Ghosts may be several periods away.
    bool find(int64_t gid, const Triple &cell, Triple &global) const {
        Triple near = cell;
        for (size_t d = 0; d < 3; ++d) {
            const int64_t domain = wide_.grid.blocks[d] * wide_.grid.cells[d];
            while (wide_.grid.periodic[d] && near[d] < -domain) near[d] += domain;
            while (wide_.grid.periodic[d] && near[d] >= domain) near[d] -= domain;
        }
        return wide_.grid.global_cell(gid, near, global);
    }
    template <class Visit>
    void for_each_cell(Visit &&visit) const {
        const auto begin = [&](size_t d) { return -int64_t{ wide_.ghosts.low[d] }; };
        const auto end = [&](size_t d) { return wide_.grid.cells[d] + wide_.ghosts.high[d]; };
        for (int64_t z = begin(2); z < end(2); ++z)
            for (int64_t y = begin(1); y < end(1); ++y)
                for (int64_t x = begin(0); x < end(0); ++x) visit(Triple{ x, y, z });
    }
    double &at(int64_t gid, const Triple &cell) const {
        halo_layout layout = HALO_LAYOUT_INIT;
        void *data = nullptr;
        OK(halo_field_layout(field_, gid, &layout));
        OK(halo_field_data(field_, gid, 0, &data));
        return static_cast<double *>(data)[layout.first_owned + cell[0] * layout.stride[0] + cell[1] * layout.stride[1] + cell[2] * layout.stride[2]];
    }
    template <class Visit>
    void for_each(Visit &&visit) const {
        for (const int64_t gid : gids_)
            for_each_cell([&](const Triple &cell) {
                Triple global;
                visit(gid, cell, find(gid, cell, global) ? &global : nullptr, at(gid, cell));
            });
    }
    template <class Visit>
    void for_each_boundary(Visit &&visit) const {
        for (const int64_t gid : gids_) {
            int64_t n = 0;
            OK(halo_field_boundaries(field_, gid, sizeof(halo_boundary), nullptr, 0, &n));
            std::vector<halo_boundary> boundaries(static_cast<size_t>(n));
            OK(halo_field_boundaries(field_, gid, sizeof(halo_boundary), boundaries.data(), n, &n));
            for (const halo_boundary &boundary : boundaries)
                for (int64_t z = boundary.ghosts.low[2]; z < boundary.ghosts.high[2]; ++z)
                    for (int64_t y = boundary.ghosts.low[1]; y < boundary.ghosts.high[1]; ++y)
                        for (int64_t x = boundary.ghosts.low[0]; x < boundary.ghosts.high[0]; ++x) visit(at(gid, { x, y, z }));
        }
    }
    [[noreturn]] void stop_at(int64_t gid, const Triple &cell, double is, double wanted) const {
        stop("%s: part %lld, cell (%lld, %lld, %lld) is %g, wanted %g", wide_.grid.describe().c_str(), static_cast<long long>(gid),
             static_cast<long long>(cell[0]), static_cast<long long>(cell[1]), static_cast<long long>(cell[2]), is, wanted);
    }

    const Wide &wide_;
    halo_topology *topology_ = nullptr;
    halo_field *field_ = nullptr;
    halo_exchange *ghosts_ = nullptr;
    halo_exchange *reverse_ = nullptr;
    std::vector<int64_t> gids_;
};

class WideGhostsOfBlocks : public testing::TestWithParam<int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, WideGhostsOfBlocks, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

TEST_P(WideGhostsOfBlocks, AreCellsOfBlocksFarAway) {
    for (uint64_t number = 0; number < 60; ++number) {
        conformance::run(GetParam(), {}, [&](Rank &rank) {
            const Wide wide(number, rank.size);
            OnGrid on_grid(wide, rank);
            for (int again = 0; again < 2; ++again) {
                on_grid.check_ghosts();
                on_grid.check_reverse();
            }
        });
        if (HasFailure()) return;
    }
}

} // namespace
