// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "parameters.h"
#include "sums.h"
#include "update.h"

#include <halo_views.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace euler {

/// The compressible Euler equations on the blocks of one rank.
///
/// The gas is a dense field of five components, each tracer a sparse field of one. Every field has two binding sets, the two stages
/// of the Runge-Kutta scheme: a stage reads one with its ghosts and writes the other. One exchange carries all fields.
class Solver {
public:
    Solver(const halo::Context &context, const Parameters &parameters);
    Solver(const Solver &) = delete; // the exchange holds this object's address
    Solver &operator=(const Solver &) = delete;

    /// Largest stable time step. Collective.
    double stable_step() const;

    /// Advance by `dt` with the strong-stability-preserving Runge-Kutta scheme of two stages (Shu and Osher 1988). Collective.
    void advance(double dt);

    /// Mass, momentum (3), energy and tracer masses of the whole grid, the same bits for any number of ranks. Collective.
    std::vector<double> totals() const;
    /// Tracer masses given up with released blocks. Collective.
    std::vector<double> released_masses() const;
    /// Digest of the full state. Collective.
    std::uint64_t digest() const;

    /// Owned cells of gas component 0..4 (or tracer 5...) in the order x, y, z of the whole grid, `box` only, on every rank. Collective.
    std::vector<double> gather(int component, const halo_box &box) const;
    /// Per block of the whole grid: a tracer has storage there (1) or not (0). Collective.
    std::vector<std::int64_t> tracer_blocks(int tracer) const;

    halo_part part(std::int64_t gid) const { return topology_.part(gid); }
    std::int64_t n_local_blocks() const { return static_cast<std::int64_t>(blocks_.size()); }
    std::int64_t peak_block_bytes() const { return peak_bytes_; } ///< of this rank: storage of its blocks, all sets
    std::int64_t n_allocated() const;                             ///< tracer blocks of this rank
    std::int64_t n_releases() const { return n_releases_; }       ///< of this rank, so far
    halo_exchange_stats exchange_stats() const { return exchange_.stats(); }

private:
    struct TracerState {
        int checks_below = 0;     // in a row
        double released_mass = 0; // so far
    };
    /// What the solver keeps per block of its rank.
    struct Block {
        halo_part part;
        halo::Split split;
        std::vector<halo::Side> sides; // physical boundaries
        std::vector<TracerState> tracers;
    };

    halo_box owned() const { return { { 0, 0, 0 }, { parameters_.block[0], parameters_.block[1], parameters_.block[2] } }; } ///< cells of a block
    void initialise(const Block &block);
    void stage(int from, const Stage &stage);
    void start_exchange(int set);
    BlockData data(const Block &block, int from) const;
    Variable variable(const halo::Field &field, std::int64_t gid, int from) const;
    void fill_boundaries(const Block &block, const Variable &variable, int n_components);
    void release_tracers();
    void release_if_empty(Block &block, int tracer);
    void count_bytes(const halo_layout &layout, int sign);
    template <class Visit>
    void for_values(int component, std::int64_t gid, const halo_box &box, Visit visit) const;
    static halo_status on_arrival(void *solver, const halo_arrival *arrival);

    const halo::Context &context_;
    Parameters parameters_;
    halo::Topology topology_;
    halo::Field gas_;
    std::vector<halo::Field> tracers_;
    halo::Exchange exchange_;
    std::vector<Block> blocks_;
    Updater updater_;
    std::int64_t n_steps_ = 0, n_releases_ = 0, bytes_ = 0, peak_bytes_ = 0;
};

} // namespace euler
