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
    virtual ~Solver() = default;
    Solver(const Solver &) = delete; // the exchange holds this object's address
    Solver &operator=(const Solver &) = delete;

    /// Storage, and the values at the start. To be called first.
    void begin();

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

protected:
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

    // What is done where the storage is.
    virtual void allocate_gas() { gas_.allocate(); }
    virtual void allocate_tracer(halo_field *tracer, std::int64_t gid) { halo::check(halo_field_allocate(tracer, gid)); }
    virtual void release_tracer(int tracer, std::int64_t gid);
    virtual void stage(int from, const Stage &stage);
    virtual double fastest_wave() const;
    virtual std::vector<double> greatest_tracers() const; ///< the size of the greatest density, by block, then tracer
    /// All values of a block in set 0, ghosts too, brought from there and to there.
    virtual void read(const halo::Field &field, std::int64_t gid, std::vector<double> &values) const;
    virtual void write(const halo::Field &field, std::int64_t gid, const std::vector<double> &values);

    halo_box owned() const { return { { 0, 0, 0 }, { parameters_.block[0], parameters_.block[1], parameters_.block[2] } }; } ///< cells of a block
    void start_exchange(int set, halo_stream stream = HALO_STREAM_NONE);

private:
    void initialise(const Block &block);
    void add_tracer(halo_field *tracer, std::int64_t gid, const halo_layout &layout);
    BlockData data(const Block &block, int from) const;
    Variable variable(const halo::Field &field, std::int64_t gid, int from) const;
    void fill_boundaries(const Block &block, const Variable &variable, int n_components);
    void release_tracers();
    void release(Block &block, int tracer);
    void count_bytes(const halo_layout &layout, int sign);
    /// Visit the values of a component inside `box` (in the block's own cells): visit(value, i, j, k). Nothing where it is unallocated.
    template <class Visit>
    void for_values(int component, std::int64_t gid, const halo_box &box, Visit visit) const {
        const bool is_gas = component < n_conserved;
        const halo::Field &field = is_gas ? gas_ : tracers_[component - n_conserved];
        if (!field.data(gid)) return;
        std::vector<double> values;
        read(field, gid, values);
        const halo::View<double> view(values.data(), field.layout(gid));
        halo::for_each(box, [&](auto i, auto j, auto k) { visit(view(i, j, k, is_gas ? component : 0), i, j, k); });
    }
    static halo_status on_arrival(void *solver, const halo_arrival *arrival);

protected:
    const halo::Context &context_;
    Parameters parameters_;
    halo::Topology topology_;
    halo::Field gas_;
    std::vector<halo::Field> tracers_;
    halo::Exchange exchange_;
    std::vector<Block> blocks_;

private:
    Updater updater_;
    std::int64_t n_steps_ = 0, n_releases_ = 0, bytes_ = 0, peak_bytes_ = 0;
};

} // namespace euler
