// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

#include "exact_sum.h"

namespace adaptive {

namespace {

halo_field_desc described(const char *name, std::int32_t centring, std::int32_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    desc.n_components = n_values;
    desc.centring = centring;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    return desc;
}

halo_exchange_desc of_kind(std::int32_t kind) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = kind;
    return desc;
}

} // namespace

Solver::Mesh::Mesh(const halo::Context &context, const halo::Forest &forest)
    : topology(forest.topology(context)),
      gas(topology, described("gas", HALO_CENTRE_CELL, n_ghosts)),
      flux(topology, described("flux", HALO_CENTRE_FACES, 0)),
      ghosts((gas.allocate(), std::initializer_list<halo_field *>{ gas })),
      fluxes((flux.allocate(), std::initializer_list<halo_field *>{ flux }), of_kind(HALO_KIND_FLUXES)) {}

State Solver::View::at(std::int64_t x, std::int64_t y) const {
    State state;
    const double *const value = first + layout.first_owned + x * layout.stride[0] + y * layout.stride[1];
    for (std::size_t i = 0; i < n_values; ++i) state[i] = value[static_cast<std::int64_t>(i) * layout.component_stride];
    return state;
}

void Solver::View::set(std::int64_t x, std::int64_t y, const State &state) const {
    double *const value = first + layout.first_owned + x * layout.stride[0] + y * layout.stride[1];
    for (std::size_t i = 0; i < n_values; ++i) value[static_cast<std::int64_t>(i) * layout.component_stride] = state[i];
}

Solver::View Solver::view(const halo::Field &field, std::int64_t gid, int place) const {
    halo_layout layout = field.layout(gid);
    layout.first_owned += place * layout.place_stride;
    return { field.data(gid), layout };
}

Solver::Solver(const halo::Context &context, const Parameters &parameters)
    : context_(context),
      parameters_(parameters),
      forest_(2, { n_cells, n_cells, 1 }) {
    const std::int32_t square = forest_.tree({ parameters.roots, parameters.roots, 1 });
    for (int d = 0; d < 2; ++d) forest_.periodic(square, d);
    forest_.uniform(0);
    forest_.place(context.n_ranks());
    mesh_ = std::make_unique<Mesh>(context, forest_);
    set_out();
    for (int level = 0; level < parameters.deepest && adapt(); ++level) set_out();
    remeshes_ = 0;
}

/// Hot gas within a circle that is not in the middle.
void Solver::set_out() {
    for (const std::int64_t gid : mesh_->topology.local_parts()) {
        const halo_box cells = mesh_->topology.part(gid).cells;
        const View gas = view(mesh_->gas, gid);
        const double h = width(level(gid));
        for (std::int64_t y = 0; y < n_cells; ++y)
            for (std::int64_t x = 0; x < n_cells; ++x) {
                const double dx = (static_cast<double>(cells.low[0] + x) + 0.5) * h - 0.4,
                             dy = (static_cast<double>(cells.low[1] + y) + 0.5) * h - 0.45;
                gas.set(x, y, { 1.0, 0.0, 0.0, (dx * dx + dy * dy < 0.01 ? 10.0 : 0.1) / (gamma - 1) });
            }
    }
}

double Solver::longest_step() const {
    double rate = 0;
    for_each_cell(
        [&](int level, std::int64_t, std::int64_t, const State &u) { rate = std::max(rate, (fastest(u, 0) + fastest(u, 1)) / width(level)); });
    return 0.4 / context_.allreduce(rate, HALO_MAX);
}

void Solver::compute_fluxes() const {
    for (const std::int64_t gid : mesh_->topology.local_parts()) {
        const View gas = view(mesh_->gas, gid);
        for (int d = 0; d < 2; ++d) {
            const View flux = view(mesh_->flux, gid, d);
            const std::int64_t dx = d == 0 ? 1 : 0, dy = 1 - dx;
            for (std::int64_t y = 0; y < n_cells + dy; ++y)
                for (std::int64_t x = 0; x < n_cells + dx; ++x)
                    flux.set(x, y, face_flux(gas.at(x - 2 * dx, y - 2 * dy), gas.at(x - dx, y - dy), gas.at(x, y), gas.at(x + dx, y + dy), d));
        }
    }
}

void Solver::step() {
    if (steps_++ % parameters_.adapt_every == 0) adapt();
    const double dt = longest_step();
    mesh_->ghosts.start();
    mesh_->ghosts.finish();
    compute_fluxes();
    mesh_->fluxes.start(); // what leaves a finer block arrives in the coarser one
    mesh_->fluxes.finish();
    for (const std::int64_t gid : mesh_->topology.local_parts()) {
        const View gas = view(mesh_->gas, gid), along_x = view(mesh_->flux, gid, 0), along_y = view(mesh_->flux, gid, 1);
        const double scale = dt / width(level(gid));
        for (std::int64_t y = 0; y < n_cells; ++y)
            for (std::int64_t x = 0; x < n_cells; ++x) {
                State u = gas.at(x, y);
                const State west = along_x.at(x, y), east = along_x.at(x + 1, y), south = along_y.at(x, y), north = along_y.at(x, y + 1);
                for (std::size_t i = 0; i < n_values; ++i) u[i] -= scale * (east[i] - west[i] + (north[i] - south[i]));
                gas.set(x, y, u);
            }
    }
    time_ += dt;
}

/// Of all blocks, on every rank: by the greatest step of the pressure between neighbouring cells.
std::vector<std::int32_t> Solver::marks() const {
    std::vector<std::int32_t> marks(forest_.leaves().size(), HALO_MARK_COARSEN);
    for (const std::int64_t gid : mesh_->topology.local_parts()) {
        const View gas = view(mesh_->gas, gid);
        double steepest = 0;
        for (std::int64_t y = 0; y < n_cells; ++y)
            for (std::int64_t x = 0; x < n_cells; ++x) {
                const double here = pressure(gas.at(x, y));
                for (const State &beside : { gas.at(x + 1, y), gas.at(x, y + 1), gas.at(x - 1, y), gas.at(x, y - 1) })
                    steepest = std::max(steepest, std::abs(pressure(beside) - here) / here);
            }
        std::int32_t &mark = marks[static_cast<std::size_t>(gid)];
        mark = steepest > 0.1 ? HALO_MARK_REFINE : steepest < 0.02 ? HALO_MARK_COARSEN : HALO_MARK_KEEP;
        if (mark == HALO_MARK_REFINE && level(gid) == parameters_.deepest) mark = HALO_MARK_KEEP;
    }
    context_.allreduce(std::span<std::int32_t>(marks), HALO_MAX);
    return marks;
}

/// False: the blocks stay as they are.
bool Solver::adapt() {
    mesh_->ghosts.start(); // read by marks, and by blocks that are refined
    mesh_->ghosts.finish();
    halo::Forest next = forest_;
    next.adapt(marks());
    const auto same = [](const halo_leaf &a, const halo_leaf &b) { return a.level == b.level && a.at[0] == b.at[0] && a.at[1] == b.at[1]; };
    if (std::ranges::equal(next.leaves(), forest_.leaves(), same)) return false;
    next.place(context_.n_ranks());
    auto mesh = std::make_unique<Mesh>(context_, next);
    halo_field *const from = mesh_->gas, *const to = mesh->gas;
    halo::Exchange move(std::span(&from, 1), std::span(&to, 1), HALO_TRANSFER_DESC_INIT);
    move.start();
    move.finish();
    mesh_.swap(mesh);
    forest_ = next;
    ++remeshes_;
    return true;
}

void Solver::for_each_cell(const std::function<void(int, std::int64_t, std::int64_t, const State &)> &visit) const {
    for (const std::int64_t gid : mesh_->topology.local_parts()) {
        const halo_box cells = mesh_->topology.part(gid).cells;
        const View gas = view(mesh_->gas, gid);
        for (std::int64_t y = 0; y < n_cells; ++y)
            for (std::int64_t x = 0; x < n_cells; ++x) visit(level(gid), cells.low[0] + x, cells.low[1] + y, gas.at(x, y));
    }
}

std::array<double, 2> Solver::totals() const {
    std::array<ranks::ExactSum, 2> sums;
    for_each_cell([&](int level, std::int64_t, std::int64_t, const State &u) {
        const double area = width(level) * width(level);
        sums[0].add(u[0] * area);
        sums[1].add(u[3] * area);
    });
    for (ranks::ExactSum &sum : sums) context_.allreduce(sum.words(), HALO_SUM);
    return { sums[0].value(), sums[1].value() };
}

} // namespace adaptive
