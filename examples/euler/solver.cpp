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
    return { topology, desc };
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
    for (const auto gid : topology_.local_parts())
        blocks_.push_back(
            { topology_.part(gid), gas_.interior_rim(gid, reach), halo::sides(topology_, gas_, gid), std::vector<TracerState>(tracers_.size()) });
}

void Solver::begin() {
    allocate_gas();
    for (const auto &block : blocks_) initialise(block);
}

void Solver::initialise(const Block &block) {
    const auto gid = block.part.gid;
    const double h = parameters_.cell_size();
    const auto point = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        const auto *low = block.part.cells.low;
        return Point{ h * (static_cast<double>(low[0] + i) + 0.5), h * (static_cast<double>(low[1] + j) + 0.5),
                      h * (static_cast<double>(low[2] + k) + 0.5) };
    };
    const Variable gas{ nullptr, nullptr, gas_.layout(gid) };
    count_bytes(gas.layout, 1);
    std::vector<double> u(static_cast<std::size_t>(gas.layout.elements));
    const auto at = [](std::int64_t place) { return static_cast<std::size_t>(place); };
    halo::for_each(owned(), [&](auto i, auto j, auto k) {
        const auto state = conserved(initial_gas(parameters_, point(i, j, k)), parameters_.gamma);
        for (int c = 0; c < n_conserved; ++c) u[at(gas.cell(i, j, k) + c * gas.layout.component_stride)] = state[c];
    });
    write(gas_, gid, u);
    for (int t = 0; t < parameters_.tracers; ++t) {
        const Variable tracer{ nullptr, nullptr, tracers_[t].layout(gid) };
        std::vector<double> density(static_cast<std::size_t>(tracer.layout.elements));
        bool any = false;
        halo::for_each(owned(), [&](auto i, auto j, auto k) {
            const double concentration = initial_concentration(parameters_, t, point(i, j, k));
            any = any || concentration != 0;
            density[at(tracer.cell(i, j, k))] = concentration * u[at(gas.cell(i, j, k))];
        });
        if (!any) continue;
        add_tracer(tracers_[t], gid, tracer.layout);
        write(tracers_[t], gid, density);
    }
}

void Solver::write(const halo::Field &field, std::int64_t gid, const std::vector<double> &values) {
    std::copy(values.begin(), values.end(), field.data(gid));
}

void Solver::read(const halo::Field &field, std::int64_t gid, std::vector<double> &values) const {
    const double *const data = field.data(gid);
    values.assign(data, data + field.layout(gid).elements);
}

void Solver::add_tracer(halo_field *tracer, std::int64_t gid, const halo_layout &layout) {
    allocate_tracer(tracer, gid);
    count_bytes(layout, 1);
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

double Solver::stable_step() const { return parameters_.cfl * parameters_.cell_size() / context_.allreduce(fastest_wave(), HALO_MAX); }

double Solver::fastest_wave() const {
    double fastest = 0;
    for (const auto &block : blocks_) {
        const auto gas = variable(gas_, block.part.gid, 0);
        const auto next = gas.layout.component_stride;
        halo::for_each(owned(), [&](auto i, auto j, auto k) {
            const double *u = gas.in + gas.cell(i, j, k);
            fastest = std::max(fastest, wave_speed(u[0], u[next], u[2 * next], u[3 * next], u[4 * next], parameters_.gamma));
        });
    }
    return fastest;
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

void Solver::start_exchange(int set, halo_stream stream) {
    exchange_.start(halo::Run().sets(std::vector<std::int32_t>(1 + tracers_.size(), set)), stream);
}

/// A tracer reaches a block that has none. Called by the library, so nothing may be thrown.
halo_status Solver::on_arrival(void *solver, const halo_arrival *arrival) {
    try {
        halo_layout layout = HALO_LAYOUT_INIT;
        halo::check(halo_field_layout(arrival->field, arrival->gid, &layout));
        static_cast<Solver *>(solver)->add_tracer(arrival->field, arrival->gid, layout);
        return HALO_SUCCESS;
    } catch (const halo::error &failure) {
        return failure.status();
    } catch (...) {
        return HALO_ERR_MEMORY;
    }
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
    if (tracers_.empty()) return;
    const auto greatest = greatest_tracers();
    auto most = greatest.begin();
    for (auto &block : blocks_)
        for (int t = 0; t < parameters_.tracers; ++t, ++most) {
            if (!tracers_[t].data(block.part.gid)) continue;
            auto &below = block.tracers[t].checks_below;
            below = *most < parameters_.release_threshold ? below + 1 : 0;
            if (below >= parameters_.release_patience) release(block, t);
        }
}

std::vector<double> Solver::greatest_tracers() const {
    std::vector<double> all;
    for (const auto &block : blocks_)
        for (int t = 0; t < parameters_.tracers; ++t) {
            double greatest = 0;
            for_values(n_conserved + t, block.part.gid, owned(), [&](double value, auto...) { greatest = std::max(greatest, std::fabs(value)); });
            all.push_back(greatest);
        }
    return all;
}

void Solver::release(Block &block, int tracer) {
    const auto gid = block.part.gid;
    auto &state = block.tracers[tracer];
    double mass = 0;
    for_values(n_conserved + tracer, gid, owned(), [&](double value, auto...) { mass += value; });
    count_bytes(tracers_[tracer].layout(gid), -1);
    release_tracer(tracer, gid);
    state = { 0, state.released_mass + mass };
    ++n_releases_;
}

void Solver::release_tracer(int tracer, std::int64_t gid) {
    for (int set = 0; set < n_sets; ++set) tracers_[tracer].unbind(gid, set);
}

} // namespace euler
