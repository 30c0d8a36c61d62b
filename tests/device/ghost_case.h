// SPDX-License-Identifier: BSD-3-Clause
// A periodic cube of `cells`^3 cells in blocks of `block`^3 doubles, each block stored alone with ghosts: the copy work of one rank.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "halo_plugin.h"

namespace halo::test {

struct GhostCase {
    int cells, block, components, ghost;
};

inline constexpr GhostCase ghost_cases[] = { { 64, 16, 1, 2 },  { 64, 16, 4, 2 }, { 128, 16, 4, 2 },
                                             { 128, 32, 4, 2 }, { 128, 8, 4, 2 }, { 64, 8, 1, 1 } };

class GhostWork {
public:
    explicit GhostWork(const GhostCase &what);

    const GhostCase &what() const { return case_; }
    int n_blocks() const { return static_cast<int>(bases_.size()); }
    int64_t values_per_block() const { return values_per_block_; }
    double *block(int i) const { return static_cast<double *>(bases_[i]); }
    // Number of the block beside block `i`, in blocks; around the cube.
    int neighbour(int i, int x, int y, int z) const;
    int64_t ghost_bytes() const;

    // The table: for each block and each (y, z) direction one row of the pieces along x.
    const std::vector<halo_copy_shape> &shapes() const { return shapes_; }
    const std::vector<halo_copy_row> &rows() const { return rows_; }
    const std::vector<void *> &bases() const { return bases_; }

    // Owned cells get values of their own, ghosts -1.
    void fill();
    // Ghost values that are not those of the owner.
    int64_t wrong_values() const;

private:
    struct Span {
        int begin, n, src_begin;
    };
    int64_t value_index(int x, int y, int z, int c) const;
    double owned_value(int i, int x, int y, int z, int c) const;
    Span span(int direction) const; // ghosts of the direction, and where the neighbour keeps them
    void add_row(int i, int y, int z);

    GhostCase case_;
    int along_;  // blocks along each direction
    int stored_; // cells along each direction of a block, ghosts included
    int64_t values_per_block_;
    std::vector<std::unique_ptr<double[]>> storage_;
    std::vector<void *> bases_;
    std::vector<halo_copy_shape> shapes_; // number (z + 1) * 3 + y + 1
    std::vector<halo_copy_row> rows_;
};

} // namespace halo::test
