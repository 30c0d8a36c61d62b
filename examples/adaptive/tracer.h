// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include <halo_views.hpp>

/// Tracers: amounts per area, not negative, that a velocity carries along. A cell gives a share of what it holds, downstream, as upwind schemes do.
/// They never empty a cell, and creep ahead by a cell a step: a field would soon have storage everywhere. So what is less than `least` moves as a
/// whole or not at all, with the share as its chance (J. Glimm, "Solutions in the large for nonlinear hyperbolic systems of equations", 1965; the
/// chances are those of P. Colella, "Glimm's method for gas dynamics", 1982): cells are empty behind a tracer, and far ahead of it, exactly.
namespace adaptive {

inline constexpr int n_cells = 8; ///< of a block, along x and y
inline constexpr double least = 1e-4;

/// The chance of a step, the same everywhere: J. van der Corput's numbers in [0, 1).
inline double chance_of(std::uint64_t step) {
    double chance = 0;
    for (double part = 0.5; step != 0; step >>= 1, part /= 2) chance += (step & 1) != 0 ? part : 0;
    return chance;
}

/// A cell that a tracer may come from: how far the velocity goes in a step, in widths of the cell, and its level.
struct Donor {
    double amount;
    std::array<double, 2> courant; ///< of sizes that are 1 together, at most
    int level;

    /// What leaves it through the face across a direction, upwards or downwards, times its width.
    double leaving(std::size_t direction, double chance) const {
        const double along_x = std::abs(courant[0]), along_y = std::abs(courant[1]);
        const double part = courant[direction] < 0 ? -1.0 : 1.0;
        const double amount_now = std::ldexp(amount, -level);
        if (amount >= least) return amount_now * courant[direction];
        const bool goes = direction == 0 ? chance < along_x : chance >= along_x && chance < along_x + along_y;
        return goes ? part * amount_now : 0;
    }
};

/// Through the face between two cells, upwards, times the width of a cell of level 0: in a step the one loses, and the other gains, as much.
inline double carried(const Donor &below, const Donor &above, std::size_t direction, double chance) {
    return std::max(below.leaving(direction, chance), 0.0) + std::min(above.leaving(direction, chance), 0.0);
}

/// Through all faces of a block. `donor(x, y)`: of its cells, and of those beside them.
template <class DonorAt>
void carry(const halo::View<double> &flux, double chance, DonorAt &&donor) {
    for (std::size_t d = 0; d < 2; ++d) {
        const halo::View<double> across = flux.place(static_cast<std::int64_t>(d));
        const std::int64_t dx = d == 0 ? 1 : 0, dy = 1 - dx;
        for (std::int64_t y = 0; y < n_cells + dy; ++y)
            for (std::int64_t x = 0; x < n_cells + dx; ++x) across(x, y) = carried(donor(x - dx, y - dy), donor(x, y), d, chance);
    }
}

/// After fluxes of finer blocks have taken the place of coarser ones.
inline void add_carried(const halo::View<double> &amounts, const halo::View<double> &flux, int level) {
    const halo::View<double> along_x = flux.place(0), along_y = flux.place(1);
    for (std::int64_t y = 0; y < n_cells; ++y)
        for (std::int64_t x = 0; x < n_cells; ++x)
            amounts(x, y) -= std::ldexp(along_x(x + 1, y) - along_x(x, y) + (along_y(x, y + 1) - along_y(x, y)), level);
}

/// By how much the cells outside each side of a block (x low, x high, y low, y high) are coarser than its own: 0 or 1.
inline std::array<int, 4> coarser_sides(const halo::Topology &topology, std::int64_t gid) {
    std::array<int, 4> coarser{};
    const int level = topology.part(gid).level;
    for (const halo_neighbour &beside : topology.neighbours(gid))
        for (std::size_t side = 0; side < 4; ++side) {
            const int up = side % 2 == 0 ? -1 : 1;
            if (beside.element == (side < 2 ? HALO_ELEMENT(up, 0, 0) : HALO_ELEMENT(0, up, 0)) && beside.level < level) coarser[side] = 1;
        }
    return coarser;
}

/// The side that a cell lies behind, -1 in the block.
inline int side_of(std::int64_t x, std::int64_t y) { return x < 0 ? 0 : x >= n_cells ? 1 : y < 0 ? 2 : y >= n_cells ? 3 : -1; }

} // namespace adaptive
