// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gas.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <halo_levels.hpp>

namespace adaptive {

struct Parameters {
    int roots = 4;       ///< blocks along x and y on level 0
    int deepest = 3;     ///< level
    int adapt_every = 2; ///< steps
};

inline constexpr int n_cells = 8; ///< of a block, along x and y
inline constexpr int n_ghosts = 2;

/// A square, periodic both ways, of blocks that are refined where the gas changes fast.
class Solver {
public:
    Solver(const halo::Context &context, const Parameters &parameters);

    void step();
    double time() const { return time_; }
    int remeshes() const { return remeshes_; }
    const std::vector<halo_leaf> &leaves() const { return forest_.leaves(); }
    /// Of the whole square, rounded once: density and energy.
    std::array<double, 2> totals() const;
    /// visit(level, x, y, state) of every cell of this rank; x and y count cells of its level.
    void for_each_cell(const std::function<void(int level, std::int64_t x, std::int64_t y, const State &)> &visit) const;
    /// Of a cell.
    double width(int level) const { return 1.0 / static_cast<double>(std::int64_t{ parameters_.roots * n_cells } << level); }

private:
    /// What belongs to one list of blocks.
    struct Mesh {
        Mesh(const halo::Context &context, const halo::Forest &forest);
        halo::Topology topology;
        halo::Field gas, flux;
        halo::Exchange ghosts, fluxes;
    };
    /// Values of one part: (0, 0) is its first cell, or face.
    struct View {
        double *first;
        halo_layout layout;
        State at(std::int64_t x, std::int64_t y) const;
        void set(std::int64_t x, std::int64_t y, const State &state) const;
    };

    View view(const halo::Field &field, std::int64_t gid, int place = 0) const;
    int level(std::int64_t gid) const { return forest_.leaves()[static_cast<std::size_t>(gid)].level; }
    void set_out();
    std::vector<std::int32_t> marks() const;
    bool adapt();
    void compute_fluxes() const;
    double longest_step() const;

    const halo::Context &context_;
    Parameters parameters_;
    halo::Forest forest_;
    std::unique_ptr<Mesh> mesh_;
    double time_ = 0;
    int steps_ = 0, remeshes_ = 0;
};

} // namespace adaptive
