// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <halo_views.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace multigrid {

/// Zeros, one value in each cell.
halo::Field make_field(const halo::Topology &grid, const char *name, int ghosts);

/// One grid over the unit square, in parts of any size. Solves -u_xx - u_yy = f in the middles of cells, u = 0 on the border.
class Level {
public:
    /// `cells` along x and y, of the whole square.
    Level(halo::Topology grid, int cells);

    int cells() const { return cells_; }
    double width() const { return 1.0 / cells_; }
    const halo::Topology &grid() const { return grid_; }
    const std::vector<halo_part> &parts() const { return parts_; }
    const halo::Field &u() const { return u_; }
    const halo::Field &f() const { return f_; }
    halo::View<> u(const halo_part &part) const { return halo::view(u_, part.gid); }
    halo::View<> f(const halo_part &part) const { return halo::view(f_, part.gid); }

    /// visit(part, i, j, x, y) of the cells of this rank, (x, y) in the middle of each.
    template <class Visit>
    void for_each_cell(Visit &&visit) const {
        for (const halo_part &part : parts_)
            halo::for_each(halo::owned_cells(part), [&](std::int64_t i, std::int64_t j, std::int64_t) {
                const auto middle = [&](std::int64_t cell) { return (static_cast<double>(cell) + 0.5) * width(); };
                visit(part, i, j, middle(part.cells.low[0] + i), middle(part.cells.low[1] + j));
            });
    }
    /// Sweeps of Gauss and Seidel over red cells, then black ones, so that the order of parts does not matter.
    void smooth(int sweeps);
    /// f - (-u_xx - u_yy). Ghosts of u must be fresh.
    double residual(const halo_part &part, std::int64_t i, std::int64_t j) const;
    /// Of u: from other parts, and outside the square.
    void fill_ghosts();

private:
    int cells_;
    halo::Topology grid_;
    halo::Field u_, f_;
    halo::Exchange ghosts_;
    std::vector<halo_part> parts_;
    std::vector<halo::PartSide> walls_;
};

/// Of the problem that f is set for.
inline double known(double x, double y) { return std::sin(std::numbers::pi * x) * std::sin(2 * std::numbers::pi * y); }
void set_problem(const Level &level);

/// Of all ranks.
double greatest_residual(const halo::Context &context, Level &level);
struct Result {
    double error;         ///< the greatest, against the known solution
    std::uint64_t digest; ///< of all bits
};
Result result_of(const halo::Context &context, const Level &level);

} // namespace multigrid
