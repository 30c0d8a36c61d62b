// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gas.h"
#include "tracer.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <halo_levels.hpp>
#include <halo_views.hpp>

namespace adaptive {

struct Parameters {
    int roots = 8;         ///< blocks along x and y on level 0
    int deepest = 2;       ///< level
    int adapt_every = 2;   ///< steps
    int tracers = 4;       ///< at most as many as there are places for them
    int release_after = 2; ///< steps in which a block has been empty of a tracer
    bool dense = false;    ///< tracers have storage in all blocks
};

inline constexpr int n_ghosts = 2;

/// Of all ranks.
struct Occupancy {
    std::int64_t blocks; ///< of all tracers: blocks with storage
    std::int64_t of;     ///< blocks of all, times tracers
    std::int64_t bytes;  ///< tracers and their fluxes
    std::int64_t given;  ///< times that data came to a block without storage, in steps
};

/// A square, periodic both ways, of blocks that are refined where the gas or a tracer changes fast. Tracers are sparse fields: a block has storage
/// while there is something in it.
class Solver {
public:
    Solver(const halo::Context &context, const Parameters &parameters);

    void step();
    double time() const { return time_; }
    int remeshes() const { return remeshes_; }
    const std::vector<halo_leaf> &leaves() const { return forest_.leaves(); }
    /// Of the whole square, rounded once: mass, energy, then each tracer.
    std::vector<double> totals() const;
    Occupancy occupancy() const;
    /// visit(level, x, y, state, tracers) of every cell of this rank; x and y count cells of its level. NaN: no storage.
    using Visit = std::function<void(int level, std::int64_t x, std::int64_t y, const State &, std::span<const double>)>;
    void for_each_cell(const Visit &visit) const;
    /// Of a cell.
    double width(int level) const { return 1.0 / static_cast<double>(std::int64_t{ parameters_.roots * n_cells } << level); }

private:
    /// What belongs to one list of blocks.
    struct Mesh {
        /// `before`: of another list, or nullptr.
        Mesh(const halo::Context &context, const halo::Forest &forest, const Parameters &parameters, Solver &solver, const Mesh *before);
        halo::Topology topology;
        halo::Field gas, flux, velocity;
        std::vector<halo::Field> tracers, tracer_fluxes; ///< a tracer controls its fluxes
        halo::Exchange ghosts;
        std::unique_ptr<halo::Exchange> tracer_ghosts; ///< none: there are no tracers
        halo::Exchange fluxes;
    };
    using View = halo::View<double>;

    static halo_status arrives(void *solver, const halo_arrival *arrival);
    int level(std::int64_t gid) const { return forest_.leaves()[static_cast<std::size_t>(gid)].level; }
    void set_out();
    void set_out(std::int64_t gid, std::size_t tracer);
    void fill_ghosts() const;
    std::vector<std::int32_t> marks() const;
    std::int32_t mark(std::int64_t gid) const;
    std::vector<double> weights(const std::vector<halo_leaf> &leaves, std::span<const std::int64_t> from) const;
    bool adapt();
    void move_to(Mesh &mesh) const;
    void set_velocity() const;
    void compute_fluxes(double dt) const;
    void compute_gas_fluxes(std::int64_t gid) const;
    void carry_tracers(std::int64_t gid, double dt) const;
    void update(std::int64_t gid, double dt) const;
    double longest_step() const;

    const halo::Context &context_;
    Parameters parameters_;
    halo::Forest forest_;
    std::unique_ptr<Mesh> mesh_;
    double time_ = 0;
    int steps_ = 0, remeshes_ = 0;
    std::int64_t given_ = 0;
};

} // namespace adaptive
