// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "gas.h"

#include <halo.h>

#include <array>
#include <cstdint>
#include <vector>

namespace euler {

/// A variable of one block: `in` is read, with its ghosts, `out` is written. Both have the same layout.
struct Variable {
    double *in = nullptr;
    double *out = nullptr;
    halo_layout layout = HALO_LAYOUT_INIT;

    std::int64_t cell(std::int64_t i, std::int64_t j, std::int64_t k) const {
        return layout.first_owned + i * layout.stride[0] + j * layout.stride[1] + k * layout.stride[2];
    }
};

/// A tracer's density (gas density times concentration) of one block. `quiet[d][side]`: everything within `reach` of that face is
/// below the send threshold, so the neighbour was told "null" and takes it for zero. The flux through that face is then computed
/// from zeros here as well: both blocks find the same flux and no mass appears or is lost.
struct Tracer {
    Variable density;
    std::array<std::array<bool, 2>, 3> quiet{};
};

struct BlockData {
    std::array<std::int64_t, 3> cells{};
    Variable gas;
    std::vector<Tracer> tracers; ///< those that are allocated here
};

/// Which owned layers a neighbour will take for zero; see Tracer::quiet.
void find_quiet_faces(Tracer &tracer, const std::array<std::int64_t, 3> &cells, double threshold);

/// Finite-volume update by unsplit second-order fluxes (MUSCL in primitive variables, HLLC). Holds scratch memory only.
class Updater {
public:
    Updater(double gamma, double cell_size) : gamma_(gamma), cell_size_(cell_size) {}

    /// Update the cells of `box`, a part of the block's owned cells. A cell's new value does not depend on how boxes are cut.
    void update(const BlockData &block, const halo_box &box, const Stage &stage);

private:
    static constexpr int capacity = 72; // cells of a line with ghosts, a little more than the largest block

    /// A row of cells along one direction. Cell i of the box is at i + reach; face i lies below it.
    struct Line {
        int direction, n;
        std::int64_t i, j, k; // first cell
        alignas(64) std::array<double, capacity> density, velocity[3], pressure, flux[n_conserved];
        alignas(64) std::array<double, capacity> concentration, tracer_flux;
    };

    void sweep(const BlockData &block, const halo_box &box, int direction);
    void load_gas(const Variable &gas);
    void gas_fluxes();
    void load_tracer(const Variable &density);
    void tracer_fluxes(const Tracer &tracer, std::int64_t cells);
    void add(const std::array<double, capacity> &flux, std::vector<double> &rate, const halo_box &box) const;
    void apply(const Variable &variable, std::int64_t component_offset, const std::vector<double> &rate, const halo_box &box, const Stage &stage);

    double gamma_, cell_size_;
    Line line_{};
    std::array<std::vector<double>, n_conserved> gas_rates_;
    std::vector<std::vector<double>> tracer_rates_;
};

} // namespace euler
