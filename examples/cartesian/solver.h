// SPDX-License-Identifier: BSD-3-Clause
// What both programs share: three concentrations on a periodic box of cells, which spread to all 26 neighbours and react. Each rank has one block
// in plain arrays, one per concentration, with a layer of ghosts around; how these are filled is what the programs differ in.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

inline constexpr int n_fields = 3;
inline constexpr int n_steps = 25;
inline constexpr std::array<int64_t, 3> domain{ 26, 21, 17 }; // cells

struct Block {
    std::array<int64_t, 3> low{}; // first cell in the domain
    std::array<int64_t, 3> n{};   // cells

    // Of cell (i, j, k) in an array; ghosts have index -1 or n.
    int64_t index(int64_t i, int64_t j, int64_t k) const { return i + 1 + (n[0] + 2) * (j + 1 + (n[1] + 2) * (k + 1)); }
    int64_t size() const { return (n[0] + 2) * (n[1] + 2) * (n[2] + 2); }
};

using Fields = std::array<std::vector<double>, n_fields>;

Fields start_values(const Block &block);
// Reads cells and ghosts of `now`, writes cells of `next`.
void step(const Block &block, const Fields &now, Fields &next);
// Each rank writes its cells to their place in one file of the whole domain. False: it could not.
bool write_cells(const Block &block, const Fields &fields, const char *path);
