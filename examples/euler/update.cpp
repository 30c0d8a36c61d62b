// SPDX-License-Identifier: BSD-3-Clause
#include "update.h"

#include <halo_views.hpp>

#include <cmath>

namespace euler {

namespace {

std::int64_t extent(const halo_box &box, int d) { return box.high[d] - box.low[d]; }

bool all_below(const Variable &variable, const halo_box &box, double threshold) {
    bool below = true;
    halo::for_each(box, [&](auto i, auto j, auto k) { below = below && std::fabs(variable.in[variable.cell(i, j, k)]) < threshold; });
    return below;
}

} // namespace

void find_quiet_faces(Tracer &tracer, const std::array<std::int64_t, 3> &cells, double threshold) {
    for (int d = 0; d < 3; ++d) {
        halo_box below{ { 0, 0, 0 }, { cells[0], cells[1], cells[2] } }, above = below;
        below.high[d] = reach;
        above.low[d] = cells[d] - reach;
        tracer.quiet[d] = { all_below(tracer.density, below, threshold), all_below(tracer.density, above, threshold) };
    }
}

void Updater::update(const BlockData &block, const halo_box &box, const Stage &stage) {
    const auto n = static_cast<std::size_t>(extent(box, 0) * extent(box, 1) * extent(box, 2));
    for (auto &rate : gas_rates_) rate.assign(n, 0.0);
    if (tracer_rates_.size() < block.tracers.size()) tracer_rates_.resize(block.tracers.size());
    for (std::size_t t = 0; t < block.tracers.size(); ++t) tracer_rates_[t].assign(n, 0.0);

    for (int d = 0; d < 3; ++d) sweep(block, box, d);

    for (int c = 0; c < n_conserved; ++c) apply(block.gas, c * block.gas.layout.component_stride, gas_rates_[c], box, stage);
    for (std::size_t t = 0; t < block.tracers.size(); ++t) apply(block.tracers[t].density, 0, tracer_rates_[t], box, stage);
}

void Updater::sweep(const BlockData &block, const halo_box &box, int direction) {
    line_.direction = direction;
    line_.n = static_cast<int>(extent(box, direction));
    halo_box starts = box;
    starts.high[direction] = starts.low[direction] + 1;
    for (line_.k = starts.low[2]; line_.k < starts.high[2]; ++line_.k)
        for (line_.j = starts.low[1]; line_.j < starts.high[1]; ++line_.j)
            for (line_.i = starts.low[0]; line_.i < starts.high[0]; ++line_.i) {
                load_gas(block.gas);
                gas_fluxes();
                // The line's own axes are (across, along, along); the stored momenta are (x, y, z).
                add(line_.flux[0], gas_rates_[0], box);
                for (int axis = 0; axis < 3; ++axis) add(line_.flux[1 + axis], gas_rates_[1 + (direction + axis) % 3], box);
                add(line_.flux[4], gas_rates_[4], box);
                for (std::size_t t = 0; t < block.tracers.size(); ++t) {
                    load_tracer(block.tracers[t].density);
                    tracer_fluxes(block.tracers[t], block.cells[direction]);
                    add(line_.tracer_flux, tracer_rates_[t], box);
                }
            }
}

/// Fill the line with primitive variables.
void Updater::load_gas(const Variable &gas) {
    const auto step = gas.layout.stride[line_.direction], component = gas.layout.component_stride;
    const double *u = gas.in + gas.cell(line_.i, line_.j, line_.k) - reach * step;
    const double *momentum[3];
    for (int axis = 0; axis < 3; ++axis) momentum[axis] = u + (1 + (line_.direction + axis) % 3) * component;
    const double *energy = u + 4 * component;
    for (int i = 0; i < line_.n + 2 * reach; ++i) {
        const auto at = i * step;
        const Side w = side_of(u[at], momentum[0][at], momentum[1][at], momentum[2][at], energy[at], gamma_);
        line_.density[i] = w.density;
        line_.velocity[0][i] = w.across;
        line_.velocity[1][i] = w.along_0;
        line_.velocity[2][i] = w.along_1;
        line_.pressure[i] = w.pressure;
    }
}

void Updater::gas_fluxes() {
    const auto below = [](const double *w) { return below_face(w[0], w[1], w[2]); };
    const auto above = [](const double *w) { return above_face(w[1], w[2], w[3]); };
    for (int i = 0; i <= line_.n; ++i) {
        const double *const density = &line_.density[i], *const pressure = &line_.pressure[i];
        const double *const across = &line_.velocity[0][i], *const along_0 = &line_.velocity[1][i], *const along_1 = &line_.velocity[2][i];
        const Side left{ below(density), below(across), below(along_0), below(along_1), below(pressure) };
        const Side right{ above(density), above(across), above(along_0), above(along_1), above(pressure) };
        const Flux flux = hllc_flux(left, right, gamma_);
        line_.flux[0][i] = flux.mass;
        line_.flux[1][i] = flux.across;
        line_.flux[2][i] = flux.along_0;
        line_.flux[3][i] = flux.along_1;
        line_.flux[4][i] = flux.energy;
    }
}

void Updater::load_tracer(const Variable &density) {
    const auto step = density.layout.stride[line_.direction];
    const double *q = density.in + density.cell(line_.i, line_.j, line_.k) - reach * step;
    for (int i = 0; i < line_.n + 2 * reach; ++i) line_.concentration[i] = q[i * step] / line_.density[i];
}

void Updater::tracer_fluxes(const Tracer &tracer, std::int64_t cells) {
    const auto &c = line_.concentration, &mass = line_.flux[0];
    for (int i = 0; i <= line_.n; ++i) line_.tracer_flux[i] = tracer_flux(mass[i], c[i], c[i + 1], c[i + 2], c[i + 3]);

    const std::int64_t first = std::array{ line_.i, line_.j, line_.k }[line_.direction];
    const auto &quiet = tracer.quiet[line_.direction];
    const int n = line_.n;
    if (first == 0 && quiet[0]) line_.tracer_flux[0] = tracer_flux(mass[0], c[0], c[1], 0, 0);
    if (first + n == cells && quiet[1]) line_.tracer_flux[n] = tracer_flux(mass[n], 0, 0, c[n + 2], c[n + 3]);
}

void Updater::add(const std::array<double, capacity> &flux, std::vector<double> &rate, const halo_box &box) const {
    const std::array<std::int64_t, 3> stride = { 1, extent(box, 0), extent(box, 0) * extent(box, 1) };
    const auto start = (line_.i - box.low[0]) + (line_.j - box.low[1]) * stride[1] + (line_.k - box.low[2]) * stride[2];
    const auto step = stride[line_.direction];
    for (int i = 0; i < line_.n; ++i) rate[static_cast<std::size_t>(start + i * step)] += (flux[i] - flux[i + 1]) / cell_size_;
}

void Updater::apply(const Variable &v, std::int64_t component_offset, const std::vector<double> &rates, const halo_box &box, const Stage &stage) {
    const double *rate = rates.data();
    halo::for_each(box, [&](auto i, auto j, auto k) {
        const auto at = v.cell(i, j, k) + component_offset;
        v.out[at] = advanced(v.in[at], v.out[at], *rate++, stage);
    });
}

} // namespace euler
