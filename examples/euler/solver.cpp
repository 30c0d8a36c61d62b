// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

#include "problems.h"

#include <algorithm>
#include <cmath>

namespace euler {

namespace {

constexpr int n_sets = 2; // the two stages

halo::Topology make_topology(const halo::Context &context, const Parameters &p) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    const auto n_blocks = p.blocks();
    for (int d = 0; d < 3; ++d) {
        desc.n_blocks[d] = n_blocks[d];
        desc.n_cells[d] = p.block[d];
        desc.periodic[d] = p.boundary[d] == "periodic";
    }
    return { context, desc };
}

halo_field_desc field_desc(const char *name) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    desc.n_sets = n_sets;
    for (int d = 0; d < 3; ++d) desc.ghost_low[d] = desc.ghost_high[d] = reach;
    return desc;
}

halo::Field make_gas(const halo::Topology &topology) {
    auto desc = field_desc("gas");
    desc.n_components = n_conserved;
    halo::Field gas(topology, desc);
    gas.allocate();
    return gas;
}

std::vector<halo::Field> make_tracers(const halo::Topology &topology, const Parameters &p) {
    std::vector<halo::Field> tracers;
    for (int t = 0; t < p.tracers; ++t) {
        const auto name = "tracer" + std::to_string(t);
        auto desc = field_desc(name.c_str());
        desc.sparse = 1;
        desc.threshold = p.send_threshold;
        tracers.emplace_back(topology, desc);
    }
    return tracers;
}

halo::Exchange make_exchange(const halo::Field &gas, const std::vector<halo::Field> &tracers, halo_arrival_fn arrival, void *user) {
    std::vector<halo_field *> fields = { gas };
    for (const auto &tracer : tracers) fields.push_back(tracer);
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.stencil = HALO_STENCIL_FACES;
    desc.source_stable = 1; // a stage writes the other set
    desc.arrival = arrival;
    desc.arrival_user = user;
    return { fields, desc };
}

} // namespace

Solver::Solver(const halo::Context &context, const Parameters &parameters)
    : context_(context),
      parameters_(parameters),
      topology_(make_topology(context, parameters)),
      gas_(make_gas(topology_)),
      tracers_(make_tracers(topology_, parameters)),
      exchange_(make_exchange(gas_, tracers_, on_arrival, this)),
      updater_(parameters.gamma, parameters.cell_size()) {
    for (const auto gid : topology_.local_parts()) {
        blocks_.push_back(
            { topology_.part(gid), gas_.interior_rim(gid, reach), halo::sides(topology_, gas_, gid), std::vector<TracerState>(tracers_.size()) });
        initialise(blocks_.back());
    }
}

void Solver::initialise(const Block &block) {
    const auto gid = block.part.gid;
    const double h = parameters_.cell_size();
    const auto point = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        const auto *low = block.part.cells.low;
        return Point{ h * (static_cast<double>(low[0] + i) + 0.5), h * (static_cast<double>(low[1] + j) + 0.5),
                      h * (static_cast<double>(low[2] + k) + 0.5) };
    };
    const auto gas = variable(gas_, gid, 0);
    count_bytes(gas.layout, 1);
    auto *u = gas_.data(gid, 0);
    halo::for_each(owned(), [&](auto i, auto j, auto k) {
        const auto state = conserved(initial_gas(parameters_, point(i, j, k)), parameters_.gamma);
        for (int c = 0; c < n_conserved; ++c) u[gas.cell(i, j, k) + c * gas.layout.component_stride] = state[c];
    });
    for (int t = 0; t < parameters_.tracers; ++t) {
        auto &tracer = tracers_[t];
        halo::for_each(owned(), [&](auto i, auto j, auto k) {
            const double concentration = initial_concentration(parameters_, t, point(i, j, k));
            if (concentration == 0) return;
            if (!tracer.data(gid)) {
                tracer.allocate(gid);
                count_bytes(tracer.layout(gid), 1);
            }
            tracer.data(gid)[variable(tracer, gid, 0).cell(i, j, k)] = concentration * u[gas.cell(i, j, k)];
        });
    }
}

Variable Solver::variable(const halo::Field &field, std::int64_t gid, int from) const {
    return { field.data(gid, from), field.data(gid, 1 - from), field.layout(gid) };
}

BlockData Solver::data(const Block &block, int from) const {
    BlockData data{ parameters_.block, variable(gas_, block.part.gid, from), {} };
    for (const auto &tracer : tracers_)
        if (tracer.data(block.part.gid)) data.tracers.push_back({ variable(tracer, block.part.gid, from), {} });
    return data;
}

double Solver::stable_step() const {
    double fastest = 0;
    for (const auto &block : blocks_) {
        const auto gas = variable(gas_, block.part.gid, 0);
        halo::for_each(owned(), [&](auto i, auto j, auto k) {
            const double *u = gas.in + gas.cell(i, j, k);
            const auto next = gas.layout.component_stride;
            const double v[3] = { u[next] / u[0], u[2 * next] / u[0], u[3 * next] / u[0] };
            const double pressure = (parameters_.gamma - 1) * (u[4 * next] - 0.5 * u[0] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
            const double sound = std::sqrt(parameters_.gamma * pressure / u[0]);
            fastest = std::max(fastest, std::fabs(v[0]) + std::fabs(v[1]) + std::fabs(v[2]) + 3 * sound);
        });
    }
    return parameters_.cfl * parameters_.cell_size() / context_.allreduce(fastest, HALO_MAX);
}

void Solver::advance(double dt) {
    stage(0, { dt, 0.0 });
    stage(1, { dt, 0.5 });
    if (++n_steps_ % parameters_.release_every == 0) release_tracers();
}

/// Cells that need no ghosts are updated while the ghosts travel.
void Solver::stage(int from, const Stage &stage) {
    start_exchange(from);
    for (const auto &block : blocks_) updater_.update(data(block, from), block.split.interior, stage);
    exchange_.finish();
    for (const auto &block : blocks_) {
        auto block_data = data(block, from); // again: tracers may have arrived
        fill_boundaries(block, block_data.gas, n_conserved);
        for (auto &tracer : block_data.tracers) {
            fill_boundaries(block, tracer.density, 1);
            find_quiet_faces(tracer, parameters_.block, parameters_.send_threshold);
        }
        for (const auto &box : block.split.rim) updater_.update(block_data, box, stage);
    }
}

void Solver::start_exchange(int set) { exchange_.start(halo::Run().sets(std::vector<std::int32_t>(1 + tracers_.size(), set))); }

/// A tracer reaches a block that has none. Called by the library, so nothing may be thrown.
halo_status Solver::on_arrival(void *solver, const halo_arrival *arrival) {
    halo_layout layout = HALO_LAYOUT_INIT;
    auto status = halo_field_allocate(arrival->field, arrival->gid);
    if (status == HALO_SUCCESS) status = halo_field_layout(arrival->field, arrival->gid, &layout);
    if (status == HALO_SUCCESS) static_cast<Solver *>(solver)->count_bytes(layout, 1);
    return status;
}

void Solver::count_bytes(const halo_layout &layout, int sign) {
    bytes_ += layout.elements * sign * n_sets * static_cast<std::int64_t>(sizeof(double));
    peak_bytes_ = std::max(peak_bytes_, bytes_);
}

/// Ghosts outside the domain: the nearest owned cell (outflow), or the mirrored one with the opposite normal velocity (reflect).
void Solver::fill_boundaries(const Block &block, const Variable &variable, int n_components) {
    const halo::View<double> view(variable.in, variable.layout);
    for (const halo::Side &side : block.sides) {
        if (std::abs(side.outward[0]) + std::abs(side.outward[1]) + std::abs(side.outward[2]) != 1) continue; // the scheme reads no edges and corners
        const int d = side.outward[0] != 0 ? 0 : side.outward[1] != 0 ? 1 : 2;
        if (parameters_.boundary[d] == "reflect")
            halo::fill_mirror(view, side, { 0, n_components }, 1);
        else
            halo::fill_extrapolated(view, side, { 0, n_components }, 0);
    }
}

void Solver::release_tracers() {
    for (auto &block : blocks_)
        for (int t = 0; t < parameters_.tracers; ++t)
            if (tracers_[t].data(block.part.gid)) release_if_empty(block, t);
}

void Solver::release_if_empty(Block &block, int tracer) {
    auto &field = tracers_[tracer];
    const auto gid = block.part.gid;
    const auto density = variable(field, gid, 0);
    double most = 0, mass = 0;
    halo::for_each(owned(), [&](auto i, auto j, auto k) {
        const double value = density.in[density.cell(i, j, k)];
        most = std::max(most, std::fabs(value));
        mass += value;
    });
    auto &state = block.tracers[tracer];
    state.checks_below = most < parameters_.release_threshold ? state.checks_below + 1 : 0;
    if (state.checks_below < parameters_.release_patience) return;
    for (int set = 0; set < n_sets; ++set) field.unbind(gid, set);
    count_bytes(density.layout, -1);
    state = { 0, state.released_mass + mass };
    ++n_releases_;
}

} // namespace euler
