// SPDX-License-Identifier: BSD-3-Clause
// A model of a uniform grid of blocks, made without the library: it says who owns what, and what lies behind a ghost.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "halo.h"

namespace conformance {

using Triple = std::array<int64_t, 3>;
using Random = std::mt19937_64;

int64_t pick(Random &random, int64_t low, int64_t high); // both included
bool chance(Random &random, double probability);

struct Ghosts {
    std::array<int32_t, 3> low{};
    std::array<int32_t, 3> high{};
};

struct Grid {
    int32_t n_dims = 1;
    Triple blocks{ 1, 1, 1 };
    Triple cells{ 1, 1, 1 };
    std::array<bool, 3> periodic{};
    int32_t order = HALO_ORDER_MORTON;
    bool given_owner = false;
    std::vector<int32_t> owner;      // by gid
    std::vector<Triple> coordinates; // by gid, in blocks
    std::vector<int64_t> gids;       // by place, x fastest

    // Fill the tables for the curve's placement over `n_ranks`, or a random one (some ranks may have nothing).
    void number();
    void place_by_curve(int32_t n_ranks);
    void place_at_random(int32_t n_ranks, Random &random);

    int64_t n_blocks() const { return blocks[0] * blocks[1] * blocks[2]; }
    int64_t gid_at(const Triple &at) const;
    std::vector<int64_t> local(int32_t rank) const;
    Triple low(int64_t gid) const; // first cell in the whole grid
    // The cell of the whole grid that a part's cell (ghosts included) stands for; false: outside the domain.
    bool global_cell(int64_t gid, const Triple &cell, Triple &global) const;
    int64_t gid_of_cell(const Triple &global) const;
    // Neighbour across an element; -1: none.
    int64_t neighbour(int64_t gid, const Triple &offset) const;

    halo_blocks_desc desc() const;
    std::string describe() const;
};

// Directions in which a part's cell lies outside of its owned cells: -1, 0, 1 each.
Triple side_of(const Grid &grid, const Triple &cell);
int distance(const Triple &offset); // of an element from the centre
bool in_stencil(const Triple &offset, int32_t stencil);

// Calls visit(cell) for every owned and ghost cell of a part.
template <class Visit>
void for_each_cell(const Grid &grid, const Ghosts &ghosts, Visit &&visit) {
    for (int64_t z = -ghosts.low[2]; z < grid.cells[2] + ghosts.high[2]; ++z)
        for (int64_t y = -ghosts.low[1]; y < grid.cells[1] + ghosts.high[1]; ++y)
            for (int64_t x = -ghosts.low[0]; x < grid.cells[0] + ghosts.high[0]; ++x) visit(Triple{ x, y, z });
}

// Calls visit(offset) for every element but the volume, in the order of element numbers.
template <class Visit>
void for_each_offset(int32_t n_dims, Visit &&visit) {
    for (int64_t z = n_dims > 2 ? -1 : 0; z <= (n_dims > 2 ? 1 : 0); ++z)
        for (int64_t y = n_dims > 1 ? -1 : 0; y <= (n_dims > 1 ? 1 : 0); ++y)
            for (int64_t x = -1; x <= 1; ++x)
                if (x != 0 || y != 0 || z != 0) visit(Triple{ x, y, z });
}

} // namespace conformance
