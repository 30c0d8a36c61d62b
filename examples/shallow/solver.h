// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mesh.h"

#include <functional>
#include <optional>
#include <vector>

namespace shallow {

/// Depth of the water, and depth times velocity: a direction along the sphere.
struct State {
    double depth = 0;
    Point momentum{};
};

/// Shallow water over a flat bottom: finite volumes, linear in each cell, with fluxes of V. Rusanov (1961); three stages of C.-W. Shu and S. Osher
/// (1988) in time. Every rank computes the flux through a side from the same numbers in the same order, so both cells get the same bits, and so does
/// any number of ranks.
class Solver {
public:
    /// The planet turns around `axis`.
    Solver(const Mesh &mesh, const Point &axis);

    void set(const std::function<State(const Point &place)> &initial);
    void step(double seconds);
    /// Visits this rank's cells.
    void each(const std::function<void(std::uint64_t key, const Point &place, double area, const State &state)> &visit) const;
    halo_exchange_stats stats() const { return exchange_->stats(); }

private:
    static constexpr std::size_t n_values = 4;
    using Values = std::vector<double>; // n_values of each cell of a part

    struct Slope {
        Point depth, velocity[3];
    };

    static State read(const Values &values, std::size_t cell);
    static void write(Values &values, std::size_t cell, const State &state);
    void exchange();
    /// stage := a * now + b * (stage + seconds * its tendency).
    void advance(double a, double b, double seconds);
    void find_slopes(std::size_t part);
    State tendency(std::size_t part, std::size_t cell) const;
    State flux(std::size_t part, std::size_t cell, const Side &side) const;
    State at_side(std::size_t part, std::size_t cell, const Side &side) const;

    const Mesh &mesh_;
    Point axis_;
    std::vector<Values> now_, stage_, next_; // by part; ghosts of the stage are exchanged
    std::vector<std::vector<Slope>> slopes_;
    std::optional<halo::Field> field_;
    std::optional<halo::Exchange> exchange_;
};

} // namespace shallow
