// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "step.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include <halo_stencil.hpp>

namespace diffusion {

/// A periodic grid in blocks, which are not cut across the levels.
struct Grid {
    std::array<std::int64_t, 2> n_blocks{ 4, 4 }, n_cells{ 16, 16 };

    std::int64_t cells(std::size_t d) const { return n_blocks[d] * n_cells[d]; }
    halo_blocks_desc desc() const;
};

View view(double *memory, const halo_layout &layout);

/// One block of this rank.
struct Block {
    std::int64_t gid = 0;
    std::int64_t x = 0, y = 0; ///< of its first cell in the grid
    Views fields;
};

class Solver {
public:
    virtual ~Solver() = default;
    virtual void step() = 0;
    /// Waits for all steps, wherever they run: then blocks() have the values.
    virtual void wait() {}
    /// Messages and bytes of values that this rank has sent since it was made.
    virtual std::vector<halo_exchange_stats> stats() const = 0;

    const std::vector<Block> &blocks() const { return blocks_; }

protected:
    explicit Solver(const Grid &grid) : grid_(grid) {}
    void find_blocks(const halo::Topology &topology);
    /// Storage for all blocks of a field.
    void allocate(Field number, halo::Field &field);
    void set_start();
    halo::Field &field(Field number) { return fields_[static_cast<std::size_t>(number)]; }

    Grid grid_;
    std::vector<Block> blocks_;
    std::vector<halo::Topology> topologies_; // before the fields on them, which go first
    std::vector<halo::Field> fields_;        // by number
};

/// As one does it without: before each stage all ghosts of what it reads around are exchanged, and no stage runs beyond its block.
std::unique_ptr<Solver> make_plain(const halo::Context &context, const Grid &grid);

} // namespace diffusion
