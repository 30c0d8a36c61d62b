// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halo_views.hpp>

#include <cstdint>
#include <vector>

namespace multigrid {

/// One grid over the unit square: the blocks are those of every other level, on the same ranks, their cells larger or smaller. Solves
/// -u_xx - u_yy = f in the middles of cells, u = 0 on the border.
class Level {
public:
    Level(const halo::Context &context, int blocks, int cells);

    double width() const { return h_; }
    const std::vector<halo_part> &parts() const { return parts_; }
    halo::View<> u(const halo_part &part) const { return halo::view(u_, part.gid); }
    halo::View<> f(const halo_part &part) const { return halo::view(f_, part.gid); }

    /// Sweeps of Gauss and Seidel over red cells, then black ones, so that the order of blocks does not matter.
    void smooth(int sweeps);
    /// f - (-u_xx - u_yy). Ghosts of u must be fresh.
    double residual(const halo_part &part, std::int64_t i, std::int64_t j) const;
    /// Of u: from other blocks, and outside the square.
    void fill_ghosts();

private:
    halo::Topology grid_;
    halo::Field u_, f_;
    halo::Exchange ghosts_;
    std::vector<halo_part> parts_;
    std::vector<halo::PartSide> walls_;
    double h_;
};

/// What is left on the finer level becomes the problem of the coarser one, which starts from 0.
void restrict_residual(const Level &fine, const Level &coarse);
/// The coarser level's solution is added to the finer one's, bilinearly. Ghosts of the coarser one's must be fresh.
void add_correction(const Level &coarse, const Level &fine);

} // namespace multigrid
