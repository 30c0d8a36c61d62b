// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

#include "problems.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace euler {

namespace {

constexpr int n_sets = 2;

template <class Visit> void for_cells(const halo_box &box, Visit visit) {
    for (auto k = box.low[2]; k < box.high[2]; ++k)
        for (auto j = box.low[1]; j < box.high[1]; ++j)
            for (auto i = box.low[0]; i < box.high[0]; ++i) visit(i, j, k);
}

halo::Topology make_topology(const halo::Context &context, const Parameters &p) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    const auto n_blocks = p.blocks();
    for (int d = 0; d < 3; ++d) {
        desc.n_blocks[d] = n_blocks[d];
        desc.n_cells[d] = p.block[d];
        desc.periodic[d] = p.boundary[d] == "periodic";
    }
    return {context, desc};
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
    std::vector<halo_field *> fields = {gas};
    for (const auto &tracer : tracers) fields.push_back(tracer);
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.stencil = HALO_STENCIL_FACES;
    desc.source_stable = 1; // a stage writes the other set
    desc.arrival = arrival;
    desc.arrival_user = user;
    return {fields, desc};
}

halo_box owned(const Parameters &p) { return {{0, 0, 0}, {p.block[0], p.block[1], p.block[2]}}; }

} // namespace

Solver::Solver(const halo::Context &context, const Parameters &parameters)
    : context_(context), parameters_(parameters), topology_(make_topology(context, parameters)), gas_(make_gas(topology_)),
      tracers_(make_tracers(topology_, parameters)), exchange_(make_exchange(gas_, tracers_, on_arrival, this)),
      updater_(parameters.gamma, parameters.cell_size()) {
    for (const auto gid : topology_.local_parts()) {
        blocks_.push_back({topology_.part(gid), gas_.interior_rim(gid, reach), gas_.boundaries(gid), std::vector<TracerState>(tracers_.size())});
        initialise(blocks_.back());
    }
}

void Solver::initialise(const Block &block) {
    const auto gid = block.part.gid;
    const double h = parameters_.cell_size();
    const auto point = [&](std::int64_t i, std::int64_t j, std::int64_t k) {
        const auto *low = block.part.cells.low;
        return Point{h * (static_cast<double>(low[0] + i) + 0.5), h * (static_cast<double>(low[1] + j) + 0.5),
                     h * (static_cast<double>(low[2] + k) + 0.5)};
    };
    const auto gas = variable(gas_, gid, 0);
    count_bytes(gas.layout, 1);
    auto *u = gas_.data(gid, 0);
    for_cells(owned(parameters_), [&](auto i, auto j, auto k) {
        const auto state = conserved(initial_gas(parameters_, point(i, j, k)), parameters_.gamma);
        for (int c = 0; c < n_conserved; ++c) u[gas.cell(i, j, k) + c * gas.layout.component_stride] = state[c];
    });
    for (int t = 0; t < parameters_.tracers; ++t) {
        auto &tracer = tracers_[t];
        for_cells(owned(parameters_), [&](auto i, auto j, auto k) {
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
    return {field.data(gid, from), field.data(gid, 1 - from), field.layout(gid)};
}

BlockData Solver::data(const Block &block, int from) const {
    BlockData data{parameters_.block, variable(gas_, block.part.gid, from), {}};
    for (const auto &tracer : tracers_)
        if (tracer.data(block.part.gid)) data.tracers.push_back({variable(tracer, block.part.gid, from), {}});
    return data;
}

double Solver::stable_step() const {
    double fastest = 0;
    for (const auto &block : blocks_) {
        const auto gas = variable(gas_, block.part.gid, 0);
        for_cells(owned(parameters_), [&](auto i, auto j, auto k) {
            const double *u = gas.in + gas.cell(i, j, k);
            const auto next = gas.layout.component_stride;
            const double v[3] = {u[next] / u[0], u[2 * next] / u[0], u[3 * next] / u[0]};
            const double pressure = (parameters_.gamma - 1) * (u[4 * next] - 0.5 * u[0] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
            const double sound = std::sqrt(parameters_.gamma * pressure / u[0]);
            fastest = std::max(fastest, std::fabs(v[0]) + std::fabs(v[1]) + std::fabs(v[2]) + 3 * sound);
        });
    }
    return parameters_.cfl * parameters_.cell_size() / context_.allreduce(fastest, HALO_MAX);
}

void Solver::advance(double dt) {
    stage(0, {dt, 0.0});
    stage(1, {dt, 0.5});
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

void Solver::start_exchange(int set) {
    const std::vector<std::int32_t> sets(1 + tracers_.size(), set);
    halo_run run = HALO_RUN_INIT;
    run.sets = sets.data();
    exchange_.start(&run);
}

/// A tracer reaches a block that has none. Called by the library, so nothing may be thrown.
halo_status Solver::on_arrival(void *solver, const halo_arrival *arrival) {
    halo_layout layout = HALO_LAYOUT_INIT;
    auto status = halo_field_allocate(arrival->field, arrival->gid);
    if (status == HALO_SUCCESS) status = halo_field_layout(arrival->field, arrival->gid, &layout);
    if (status == HALO_SUCCESS) static_cast<Solver *>(solver)->count_bytes(layout, 1);
    return status;
}

void Solver::count_bytes(const halo_layout &layout, int sign) {
    bytes_ += sign * n_sets * layout.elements * static_cast<std::int64_t>(sizeof(double));
    peak_bytes_ = std::max(peak_bytes_, bytes_);
}

/// Ghosts outside the domain: the nearest owned cell (outflow), or the mirrored one with the opposite normal velocity (reflect).
void Solver::fill_boundaries(const Block &block, const Variable &variable, int n_components) {
    double *data = variable.in;
    for (const auto &side : block.sides) {
        const int offset[3] = {side.element % 3 - 1, side.element / 3 % 3 - 1, side.element / 9 - 1};
        const int d = offset[0] ? 0 : offset[1] ? 1 : 2;
        if (std::abs(offset[0]) + std::abs(offset[1]) + std::abs(offset[2]) != 1) continue; // the scheme reads no edges and corners
        const bool mirror = parameters_.boundary[d] == "reflect";
        const auto last = parameters_.block[d] - 1;
        for_cells(side.ghosts, [&](auto i, auto j, auto k) {
            std::int64_t source[3] = {i, j, k};
            const auto clamped = offset[d] < 0 ? 0 : last;
            source[d] = mirror ? 2 * clamped + offset[d] - source[d] : clamped;
            for (int c = 0; c < n_components; ++c) {
                const auto component = c * variable.layout.component_stride;
                const double value = data[variable.cell(source[0], source[1], source[2]) + component];
                data[variable.cell(i, j, k) + component] = mirror && c == 1 + d ? -value : value;
            }
        });
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
    for_cells(owned(parameters_), [&](auto i, auto j, auto k) {
        const double value = density.in[density.cell(i, j, k)];
        most = std::max(most, std::fabs(value));
        mass += value;
    });
    auto &state = block.tracers[tracer];
    state.checks_below = most < parameters_.release_threshold ? state.checks_below + 1 : 0;
    if (state.checks_below < parameters_.release_patience) return;
    for (int set = 0; set < n_sets; ++set) field.unbind(gid, set);
    count_bytes(density.layout, -1);
    state = {0, state.released_mass + mass};
    ++n_releases_;
}

std::vector<double> Solver::totals() const {
    BlockTable<double> table(parameters_.n_blocks(), n_conserved + parameters_.tracers);
    for (const auto &block : blocks_) {
        const auto gid = block.part.gid;
        for (int c = 0; c < n_conserved + parameters_.tracers; ++c)
            for_values(c, gid, owned(parameters_), [&](double value, auto...) { table.at(gid, c) += value; });
    }
    table.share(context_);
    auto totals = table.sums();
    for (auto &total : totals) total *= std::pow(parameters_.cell_size(), 3);
    return totals;
}

std::vector<double> Solver::released_masses() const {
    BlockTable<double> table(parameters_.n_blocks(), parameters_.tracers);
    for (const auto &block : blocks_)
        for (int t = 0; t < parameters_.tracers; ++t) table.at(block.part.gid, t) = block.tracers[t].released_mass;
    table.share(context_);
    auto masses = table.sums();
    for (auto &mass : masses) mass *= std::pow(parameters_.cell_size(), 3);
    return masses;
}

std::uint64_t Solver::digest() const {
    BlockTable<std::int64_t> table(parameters_.n_blocks(), 1);
    for (const auto &block : blocks_) {
        Digest digest;
        for (int c = 0; c < n_conserved + parameters_.tracers; ++c) {
            digest.add(static_cast<std::uint64_t>(c));
            for_values(c, block.part.gid, owned(parameters_), [&](double value, auto...) { digest.add(std::bit_cast<std::uint64_t>(value)); });
        }
        table.at(block.part.gid, 0) = static_cast<std::int64_t>(digest.value());
    }
    table.share(context_);
    Digest all;
    for (const auto value : table.values()) all.add(static_cast<std::uint64_t>(value));
    return all.value();
}

/// Visit the values of a component inside `box` (in the block's own cells): visit(value, i, j, k). Nothing where it is unallocated.
template <class Visit> void Solver::for_values(int component, std::int64_t gid, const halo_box &box, Visit visit) const {
    const bool is_gas = component < n_conserved;
    const auto values = variable(is_gas ? gas_ : tracers_[component - n_conserved], gid, 0);
    if (!values.in) return;
    const auto offset = is_gas ? component * values.layout.component_stride : 0;
    for_cells(box, [&](auto i, auto j, auto k) { visit(values.in[values.cell(i, j, k) + offset], i, j, k); });
}

std::vector<double> Solver::gather(int component, const halo_box &box) const {
    const std::int64_t n[3] = {box.high[0] - box.low[0], box.high[1] - box.low[1], box.high[2] - box.low[2]};
    std::vector<double> values(static_cast<std::size_t>(n[0] * n[1] * n[2]), 0.0);
    for (const auto &block : blocks_) {
        const auto &cells = block.part.cells;
        halo_box common;
        for (int d = 0; d < 3; ++d) {
            common.low[d] = std::max(box.low[d], cells.low[d]) - cells.low[d];
            common.high[d] = std::min(box.high[d], cells.high[d]) - cells.low[d];
        }
        for_values(component, block.part.gid, common, [&](double value, auto i, auto j, auto k) {
            const auto x = cells.low[0] + i - box.low[0], y = cells.low[1] + j - box.low[1], z = cells.low[2] + k - box.low[2];
            values[static_cast<std::size_t>(x + n[0] * (y + n[1] * z))] = value;
        });
    }
    context_.allreduce(std::span<double>(values), HALO_SUM);
    return values;
}

std::vector<std::int64_t> Solver::tracer_blocks(int tracer) const {
    BlockTable<std::int64_t> table(parameters_.n_blocks(), 1);
    for (const auto &block : blocks_) table.at(block.part.gid, 0) = tracers_[tracer].data(block.part.gid) != nullptr;
    table.share(context_);
    return table.values();
}

std::int64_t Solver::n_allocated() const {
    std::int64_t n = 0;
    for (const auto &block : blocks_)
        for (const auto &tracer : tracers_) n += tracer.data(block.part.gid) != nullptr;
    return n;
}

} // namespace euler
