// SPDX-License-Identifier: BSD-3-Clause
// What a solver asks of its mesh, against the model of the grid.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "case.h"
#include "left_out.h"
#include "ranks.h"

namespace conformance {

namespace {

const conformance::LeftOutOnDevices left_out[] = {
    { "*Queries.*", "nothing is exchanged there" },
};

// How often each cell of a part (ghosts included) lies in some box.
class Painted {
public:
    Painted(const Grid &grid, const Ghosts &ghosts) : grid_(grid), ghosts_(ghosts) {
        for (int d = 0; d < 3; ++d) size_[d] = grid.cells[d] + ghosts.low[d] + ghosts.high[d];
        times_.assign(static_cast<size_t>(size_[0] * size_[1] * size_[2]), 0);
    }
    void paint(const halo_box &box) {
        for (int64_t z = box.low[2]; z < box.high[2]; ++z)
            for (int64_t y = box.low[1]; y < box.high[1]; ++y)
                for (int64_t x = box.low[0]; x < box.high[0]; ++x) ++times_.at(place({ x, y, z }));
    }
    int at(const Triple &cell) const { return times_.at(place(cell)); }

private:
    size_t place(const Triple &cell) const {
        Triple from_corner;
        for (int d = 0; d < 3; ++d) {
            from_corner[d] = cell[d] + ghosts_.low[d];
            if (from_corner[d] < 0 || from_corner[d] >= size_[d]) stop("a box reaches out of its part: %s", grid_.describe().c_str());
        }
        return static_cast<size_t>(from_corner[0] + size_[0] * (from_corner[1] + size_[1] * from_corner[2]));
    }
    const Grid &grid_;
    const Ghosts &ghosts_;
    Triple size_;
    std::vector<int> times_;
};

void check_part(const halo_topology *topology, const Grid &grid, int64_t gid) {
    halo_part part = HALO_PART_INIT;
    OK(halo_topology_part(topology, gid, &part));
    const Triple low = grid.low(gid);
    bool same = part.rank == grid.owner[gid] && part.gid == gid && part.level == 0 && part.n_dims == grid.n_dims;
    for (int d = 0; d < 3; ++d) {
        same = same && part.cells.low[d] == low[d] && part.cells.high[d] == low[d] + grid.cells[d];
        const bool wall = d < grid.n_dims && !grid.periodic[d];
        same = same && part.at_boundary[2 * d] == (wall && grid.coordinates[gid][d] == 0);
        same = same && part.at_boundary[2 * d + 1] == (wall && grid.coordinates[gid][d] == grid.blocks[d] - 1);
    }
    if (!same) stop("part %lld is not as the grid has it", static_cast<long long>(gid));
}

void check_neighbours(const halo_topology *topology, const Grid &grid, int64_t gid) {
    int64_t n = -1;
    OK(halo_topology_neighbours(topology, gid, sizeof(halo_neighbour), nullptr, 0, &n));
    std::vector<halo_neighbour> found(static_cast<size_t>(n));
    OK(halo_topology_neighbours(topology, gid, sizeof(halo_neighbour), found.data(), n, &n));
    size_t i = 0;
    for_each_offset(grid.n_dims, [&](const Triple &offset) {
        const int64_t other = grid.neighbour(gid, offset);
        if (other < 0) return;
        const auto element = HALO_ELEMENT(static_cast<int32_t>(offset[0]), static_cast<int32_t>(offset[1]), static_cast<int32_t>(offset[2]));
        if (i >= found.size() || found[i].gid != other || found[i].rank != grid.owner[other] || found[i].element != element)
            stop("neighbour %zu of part %lld is wrong", i, static_cast<long long>(gid));
        for (int32_t d = 0; d < 3; ++d)
            if (found[i].axis[d] != d || found[i].sign[d] != 1 || found[i].level != 0)
                stop("neighbour %zu of part %lld is turned", i, static_cast<long long>(gid));
        ++i;
    });
    if (i != found.size()) stop("part %lld has %zu neighbours, %zu were listed", static_cast<long long>(gid), i, found.size());
}

void check_topology(const Rank &rank, const halo_topology *topology, const Grid &grid) {
    const int64_t *gids = nullptr;
    int64_t n = -1;
    OK(halo_topology_local_parts(topology, &gids, &n));
    if (std::vector<int64_t>(gids, gids + n) != grid.local(rank.rank)) stop("the local parts are not as the grid has them");
    std::set<int32_t> peers;
    for (int64_t gid = 0; gid < grid.n_blocks(); ++gid) {
        check_part(topology, grid, gid);
        check_neighbours(topology, grid, gid);
        for_each_offset(grid.n_dims, [&](const Triple &offset) {
            const int64_t other = grid.neighbour(gid, offset);
            if (grid.owner[gid] == rank.rank && other >= 0 && grid.owner[other] != rank.rank) peers.insert(grid.owner[other]);
        });
    }
    int64_t n_peers = -1;
    OK(halo_topology_peers(topology, nullptr, 0, &n_peers));
    std::vector<int32_t> found(static_cast<size_t>(n_peers));
    OK(halo_topology_peers(topology, found.data(), n_peers, &n_peers));
    if (found != std::vector<int32_t>(peers.begin(), peers.end())) stop("the peers are not as the grid has them");
}

// The boundary regions are just the ghosts that lie outside, each once and under its element.
void check_boundaries(const halo_field *field, const Grid &grid, const Ghosts &ghosts, int64_t gid) {
    int64_t n = -1;
    OK(halo_field_boundaries(field, gid, sizeof(halo_boundary), nullptr, 0, &n));
    std::vector<halo_boundary> found(static_cast<size_t>(n));
    OK(halo_field_boundaries(field, gid, sizeof(halo_boundary), found.data(), n, &n));
    Painted painted(grid, ghosts);
    for (const halo_boundary &boundary : found) {
        painted.paint(boundary.ghosts);
        const Triple side = side_of(grid, { boundary.ghosts.low[0], boundary.ghosts.low[1], boundary.ghosts.low[2] });
        if (boundary.element != HALO_ELEMENT(static_cast<int32_t>(side[0]), static_cast<int32_t>(side[1]), static_cast<int32_t>(side[2])))
            stop("a boundary of part %lld bears element %d", static_cast<long long>(gid), boundary.element);
    }
    for_each_cell(grid, ghosts, [&](const Triple &cell) {
        Triple global;
        const bool outside = !grid.global_cell(gid, cell, global);
        if (painted.at(cell) != (outside ? 1 : 0))
            stop("cell (%lld, %lld, %lld) of part %lld lies in %d boundary regions", static_cast<long long>(cell[0]), static_cast<long long>(cell[1]),
                 static_cast<long long>(cell[2]), static_cast<long long>(gid), painted.at(cell));
    });
}

void check_interior(const halo_field *field, const Grid &grid, int64_t gid, int32_t reach) {
    halo_box interior;
    halo_box rim[6];
    int32_t n_rim = -1;
    OK(halo_field_interior_rim(field, gid, reach, &interior, rim, &n_rim));
    const Ghosts none;
    Painted inner(grid, none);
    Painted outer(grid, none);
    inner.paint(interior);
    for (int32_t i = 0; i < n_rim; ++i) outer.paint(rim[i]);
    for_each_cell(grid, none, [&](const Triple &cell) {
        bool deep = true;
        for (int d = 0; d < grid.n_dims; ++d) deep = deep && cell[d] >= reach && cell[d] < grid.cells[d] - reach;
        if (inner.at(cell) != deep || outer.at(cell) != !deep)
            stop("reach %d: cell (%lld, %lld, %lld) lies in %d interiors and %d boxes of the rim: %s", reach, static_cast<long long>(cell[0]),
                 static_cast<long long>(cell[1]), static_cast<long long>(cell[2]), inner.at(cell), outer.at(cell), grid.describe().c_str());
    });
}

class Queries : public testing::TestWithParam<int32_t> {};

TEST_P(Queries, EqualTheGrid) {
    run(GetParam(), {}, [](Rank &rank) {
        for (int64_t number = 0; number < 72; ++number) {
            const Case made = make_case(4711, number, rank.size);
            const halo_blocks_desc desc = made.grid.desc();
            halo_topology *topology = nullptr;
            OK(halo_topology_create_blocks(rank.context, &desc, &topology));
            check_topology(rank, topology, made.grid);
            const halo_field_desc field_desc = made.fields[0].desc();
            halo_field *field = nullptr;
            OK(halo_field_create(topology, &field_desc, &field));
            for (const int64_t gid : made.grid.local(rank.rank)) {
                check_boundaries(field, made.grid, made.fields[0].ghosts, gid);
                for (int32_t reach = 0; reach < 5; ++reach) check_interior(field, made.grid, gid, reach);
            }
            OK(halo_field_destroy(&field));
            OK(halo_topology_destroy(&topology));
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Queries, testing::ValuesIn(rank_counts()), testing::PrintToStringParamName());

} // namespace

} // namespace conformance
