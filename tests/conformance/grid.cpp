// SPDX-License-Identifier: BSD-3-Clause
#include "grid.h"

#include <algorithm>
#include <cstdlib>

#include "ranks.h"

namespace conformance {

int64_t pick(Random &random, int64_t low, int64_t high) { return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1)); }

bool chance(Random &random, double probability) { return static_cast<double>(random() >> 11) * 0x1p-53 < probability; }

namespace {

// Bits of z, y, x taken in turn, highest first.
uint64_t morton_key(const Triple &at) {
    uint64_t key = 0;
    for (int bit = 20; bit >= 0; --bit)
        for (int d = 2; d >= 0; --d) key = key << 1 | (static_cast<uint64_t>(at[d]) >> bit & 1);
    return key;
}

size_t place_of(const Triple &blocks, const Triple &at) { return static_cast<size_t>(at[0] + blocks[0] * (at[1] + blocks[1] * at[2])); }

} // namespace

void Grid::number() {
    coordinates.clear();
    for (int64_t z = 0; z < blocks[2]; ++z)
        for (int64_t y = 0; y < blocks[1]; ++y)
            for (int64_t x = 0; x < blocks[0]; ++x) coordinates.push_back({ x, y, z });
    if (order == HALO_ORDER_MORTON)
        std::sort(coordinates.begin(), coordinates.end(), [](const Triple &a, const Triple &b) { return morton_key(a) < morton_key(b); });
    gids.assign(coordinates.size(), 0);
    for (size_t gid = 0; gid < coordinates.size(); ++gid) gids[place_of(blocks, coordinates[gid])] = static_cast<int64_t>(gid);
}

void Grid::place_by_curve(int32_t n_ranks) {
    given_owner = false;
    owner.assign(n_blocks(), 0);
    for (int64_t rank = 0; rank < n_ranks; ++rank)
        for (int64_t gid = n_blocks() * rank / n_ranks; gid < n_blocks() * (rank + 1) / n_ranks; ++gid) owner[gid] = static_cast<int32_t>(rank);
}

void Grid::place_at_random(int32_t n_ranks, Random &random) {
    given_owner = true;
    owner.assign(n_blocks(), 0);
    const int64_t used = chance(random, 0.3) ? pick(random, 1, n_ranks) : n_ranks; // the others stay empty
    for (int32_t &rank : owner) rank = static_cast<int32_t>((n_ranks - 1 - pick(random, 0, used - 1)));
}

int64_t Grid::gid_at(const Triple &at) const { return gids[place_of(blocks, at)]; }

std::vector<int64_t> Grid::local(int32_t rank) const {
    std::vector<int64_t> mine;
    for (int64_t gid = 0; gid < n_blocks(); ++gid)
        if (owner[gid] == rank) mine.push_back(gid);
    return mine;
}

Triple Grid::low(int64_t gid) const {
    const Triple &at = coordinates[gid];
    return { at[0] * cells[0], at[1] * cells[1], at[2] * cells[2] };
}

bool Grid::global_cell(int64_t gid, const Triple &cell, Triple &global) const {
    const Triple first = low(gid);
    for (int d = 0; d < 3; ++d) {
        const int64_t extent = blocks[d] * cells[d];
        global[d] = first[d] + cell[d];
        if (global[d] < 0 || global[d] >= extent) {
            if (!periodic[d]) return false;
            global[d] = (global[d] + extent) % extent;
        }
    }
    return true;
}

int64_t Grid::gid_of_cell(const Triple &global) const { return gid_at({ global[0] / cells[0], global[1] / cells[1], global[2] / cells[2] }); }

int64_t Grid::neighbour(int64_t gid, const Triple &offset) const {
    Triple there = coordinates[gid];
    for (int d = 0; d < 3; ++d) {
        there[d] += offset[d];
        if (there[d] < 0 || there[d] >= blocks[d]) {
            if (!periodic[d]) return -1;
            there[d] = (there[d] + blocks[d]) % blocks[d];
        }
    }
    return gid_at(there);
}

halo_blocks_desc Grid::desc() const {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = n_dims;
    for (int d = 0; d < 3; ++d) {
        desc.n_blocks[d] = blocks[d];
        desc.n_cells[d] = cells[d];
        desc.periodic[d] = periodic[d];
    }
    desc.order = order;
    if (given_owner) {
        desc.owner = owner.data();
        desc.n_owner = static_cast<int64_t>(owner.size());
    }
    return desc;
}

std::string Grid::describe() const {
    return text_of("%d-D, %lldx%lldx%lld blocks of %lldx%lldx%lld, periodic %d%d%d, %s order, %s", n_dims, static_cast<long long>(blocks[0]),
                   static_cast<long long>(blocks[1]), static_cast<long long>(blocks[2]), static_cast<long long>(cells[0]),
                   static_cast<long long>(cells[1]), static_cast<long long>(cells[2]), periodic[0], periodic[1], periodic[2],
                   order == HALO_ORDER_MORTON ? "Morton" : "row", given_owner ? "caller's placement" : "curve placement");
}

Triple side_of(const Grid &grid, const Triple &cell) {
    Triple side;
    for (int d = 0; d < 3; ++d) side[d] = cell[d] < 0 ? -1 : cell[d] >= grid.cells[d] ? 1 : 0;
    return side;
}

int distance(const Triple &offset) { return static_cast<int>(std::abs(offset[0]) + std::abs(offset[1]) + std::abs(offset[2])); }

bool in_stencil(const Triple &offset, int32_t stencil) {
    return distance(offset) <= (stencil == HALO_STENCIL_FACES ? 1 : stencil == HALO_STENCIL_EDGES ? 2 : 3);
}

} // namespace conformance
