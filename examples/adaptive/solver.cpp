// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

#include "exact_sum.h"

#include <limits>
#include <string>
#include <thread>

namespace adaptive {

namespace {

/// Where tracers set out: in the middle of the blast, beside it, and where the wave comes late.
constexpr struct {
    double x, y, radius;
} places[] = { { 0.40, 0.45, 0.05 }, { 0.58, 0.45, 0.03 }, { 0.40, 0.66, 0.04 }, { 0.22, 0.30, 0.03 }, { 0.85, 0.90, 0.02 } };

halo_field_desc described(const char *name, std::int32_t n_components, std::int32_t centring, std::int32_t ghosts) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    desc.n_components = n_components;
    desc.centring = centring;
    for (int d = 0; d < 2; ++d) desc.ghost_low[d] = desc.ghost_high[d] = ghosts;
    return desc;
}

/// Blocks that stay on this rank keep their storage.
void allocate(halo::Field &field, const halo::Field *before) {
    if (before != nullptr)
        halo::allocate_from(field, *before);
    else
        field.allocate();
}

std::vector<halo::Field> make_tracers(const halo::Topology &topology, const Parameters &parameters, const std::vector<halo::Field> *before) {
    std::vector<halo::Field> tracers;
    for (int t = 0; t < parameters.tracers; ++t) {
        const std::string name = "tracer" + std::to_string(t);
        halo_field_desc desc = described(name.c_str(), 1, HALO_CENTRE_CELL, 1);
        desc.sparse = parameters.dense ? 0 : 1; // of threshold 0: all that is not zero is sent, and kept
        desc.release_after = parameters.dense ? 0 : parameters.release_after;
        tracers.emplace_back(topology, desc);
        halo::set_prolongation(tracers.back(), HALO_PROLONG_CONSTANT); // what a coarse cell gives is seen alike from both sides
        if (before != nullptr)
            halo::allocate_from(tracers.back(), (*before)[static_cast<std::size_t>(t)]);
        else if (parameters.dense)
            tracers.back().allocate();
    }
    return tracers;
}

/// A block has fluxes of a tracer while it has the tracer.
std::vector<halo::Field> make_tracer_fluxes(const halo::Topology &topology, const Parameters &parameters) {
    std::vector<halo::Field> fluxes;
    for (int t = 0; t < parameters.tracers; ++t) {
        const std::string name = "flux of tracer" + std::to_string(t), controller = "tracer" + std::to_string(t);
        halo_field_desc desc = described(name.c_str(), 1, HALO_CENTRE_FACES, 0);
        desc.sparse = parameters.dense ? 0 : 1;
        if (!parameters.dense) desc.controller = controller.c_str();
        fluxes.emplace_back(topology, desc);
        if (parameters.dense) fluxes.back().allocate();
    }
    return fluxes;
}

std::vector<halo_field *> handles(std::vector<halo_field *> first, const std::vector<halo::Field> &others) {
    for (const halo::Field &other : others) first.push_back(other);
    return first;
}

halo_exchange_desc of_tracers(halo_arrival_fn arrival, void *user) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.stencil = HALO_STENCIL_FACES; // what is not read shall give storage to no block
    desc.arrival = arrival, desc.arrival_user = user;
    return desc;
}

halo_exchange_desc of_fluxes() {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.kind = HALO_KIND_FLUXES;
    return desc;
}

State state_at(const halo::View<double> &values, std::int64_t x, std::int64_t y) {
    State state;
    for (std::size_t i = 0; i < n_values; ++i) state[i] = values(x, y, 0, static_cast<std::int64_t>(i));
    return state;
}

void set_state(const halo::View<double> &values, std::int64_t x, std::int64_t y, const State &state) {
    for (std::size_t i = 0; i < n_values; ++i) values(x, y, 0, static_cast<std::int64_t>(i)) = state[i];
}

constexpr halo_box block = { { 0, 0, 0 }, { n_cells, n_cells, 1 } };

} // namespace

Solver::Mesh::Mesh(const halo::Context &context, const halo::Forest &forest, const Parameters &parameters, Solver &solver, const Mesh *before)
    : topology(forest.topology(context)),
      gas(topology, described("gas", n_values, HALO_CENTRE_CELL, n_ghosts)),
      flux(topology, described("flux", n_values, HALO_CENTRE_FACES, 0)),
      velocity(topology, described("velocity", 2, HALO_CENTRE_CELL, 1)),
      tracers(make_tracers(topology, parameters, before ? &before->tracers : nullptr)),
      tracer_fluxes(make_tracer_fluxes(topology, parameters)),
      ghosts((allocate(gas, before ? &before->gas : nullptr), allocate(velocity, before ? &before->velocity : nullptr),
              halo::set_prolongation(velocity, HALO_PROLONG_CONSTANT), std::initializer_list<halo_field *>{ gas, velocity })),
      tracer_ghosts(tracers.empty() ? nullptr : std::make_unique<halo::Exchange>(handles({}, tracers), of_tracers(arrives, &solver))),
      fluxes((allocate(flux, before ? &before->flux : nullptr), handles({ flux }, tracer_fluxes)), of_fluxes()) {}

/// A tracer comes to a block without storage. Called by the library, in finish.
halo_status Solver::arrives(void *solver, const halo_arrival *arrival) {
    ++static_cast<Solver *>(solver)->given_;
    return halo_field_allocate(arrival->field, arrival->gid);
}

Solver::Solver(const halo::Context &context, const Parameters &parameters)
    : context_(context),
      parameters_(parameters),
      forest_(2, { n_cells, n_cells, 1 }) {
    const std::int32_t square = forest_.tree({ parameters.roots, parameters.roots, 1 });
    for (int d = 0; d < 2; ++d) forest_.periodic(square, d);
    forest_.uniform(0);
    forest_.place(context.n_ranks());
    mesh_ = std::make_unique<Mesh>(context, forest_, parameters_, *this, nullptr);
    set_out();
    for (int level = 0; level < parameters.deepest && adapt(); ++level) set_out();
    remeshes_ = 0;
}

/// Hot gas within a circle that is not in the middle.
void Solver::set_out() {
    for (const halo_part &part : halo::parts(mesh_->topology)) {
        const View gas = halo::view(mesh_->gas, part.gid);
        const double h = width(part.level);
        for (const auto [x, y, z] : halo::indices(block)) {
            const double dx = (static_cast<double>(part.cells.low[0] + x) + 0.5) * h - 0.4,
                         dy = (static_cast<double>(part.cells.low[1] + y) + 0.5) * h - 0.45;
            set_state(gas, x, y, { 1.0, 0.0, 0.0, (dx * dx + dy * dy < 0.01 ? 10.0 : 0.1) / (gamma - 1) });
        }
        for (std::size_t t = 0; t < mesh_->tracers.size(); ++t) set_out(part.gid, t);
    }
}

/// A spot of a tracer. A block that it does not touch has no storage.
void Solver::set_out(std::int64_t gid, std::size_t tracer) {
    halo::Field &field = mesh_->tracers[tracer];
    const halo_box cells = mesh_->topology.part(gid).cells;
    const double h = width(level(gid));
    if (!parameters_.dense) field.unbind(gid);
    for (const auto [x, y, z] : halo::indices(block)) {
        const double dx = (static_cast<double>(cells.low[0] + x) + 0.5) * h - places[tracer].x,
                     dy = (static_cast<double>(cells.low[1] + y) + 0.5) * h - places[tracer].y;
        const bool is_within = dx * dx + dy * dy < places[tracer].radius * places[tracer].radius;
        if (is_within && !field.data(gid)) field.allocate(gid);
        if (const View amounts = halo::view(field, gid)) amounts(x, y) = is_within ? 1 : 0;
    }
}

double Solver::longest_step() const {
    double rate = 0;
    for_each_cell([&](int level, std::int64_t, std::int64_t, const State &u, std::span<const double>) {
        rate = std::max(rate, (fastest(u, 0) + fastest(u, 1)) / width(level));
    });
    return 0.4 / context_.allreduce(rate, HALO_MAX);
}

void Solver::set_velocity() const {
    for (const std::int64_t gid : mesh_->topology.local_parts()) {
        const View gas = halo::view(mesh_->gas, gid), velocity = halo::view(mesh_->velocity, gid);
        for (const auto [x, y, z] : halo::indices(block))
            for (std::int64_t d = 0; d < 2; ++d) velocity(x, y, 0, d) = gas(x, y, 0, 1 + d) / gas(x, y);
    }
}

/// When the tracers' run starts, blocks that have been empty for long enough give their storage back; before it ends, others have been given some.
void Solver::fill_ghosts() const {
    mesh_->ghosts.start();
    if (mesh_->tracer_ghosts) mesh_->tracer_ghosts->start();
    mesh_->ghosts.finish();
    if (mesh_->tracer_ghosts) mesh_->tracer_ghosts->finish();
}

void Solver::compute_gas_fluxes(std::int64_t gid) const {
    const View gas = halo::view(mesh_->gas, gid);
    for (int d = 0; d < 2; ++d) {
        const View flux = halo::view(mesh_->flux, gid).place(d);
        const std::int64_t dx = d == 0 ? 1 : 0, dy = 1 - dx;
        for (std::int64_t y = 0; y < n_cells + dy; ++y)
            for (std::int64_t x = 0; x < n_cells + dx; ++x)
                set_state(flux, x, y,
                          face_flux(state_at(gas, x - 2 * dx, y - 2 * dy), state_at(gas, x - dx, y - dy), state_at(gas, x, y),
                                    state_at(gas, x + dx, y + dy), d));
    }
}

void Solver::carry_tracers(std::int64_t gid, double dt) const {
    const std::array<int, 4> coarser = coarser_sides(mesh_->topology, gid);
    const View velocity = halo::view(mesh_->velocity, gid);
    const double chance = chance_of(static_cast<std::uint64_t>(steps_));
    for (std::size_t t = 0; t < mesh_->tracers.size(); ++t) {
        const View amounts = halo::view(mesh_->tracers[t], gid);
        if (!amounts) continue;
        carry(halo::view(mesh_->tracer_fluxes[t], gid), chance, [&](std::int64_t x, std::int64_t y) {
            const int side = side_of(x, y), at = level(gid) - (side < 0 ? 0 : coarser[static_cast<std::size_t>(side)]);
            const double scale = dt / width(at);
            return Donor{ amounts(x, y), { velocity(x, y, 0, 0) * scale, velocity(x, y, 0, 1) * scale }, at };
        });
    }
}

void Solver::compute_fluxes(double dt) const {
    for (const std::int64_t gid : mesh_->topology.local_parts()) {
        compute_gas_fluxes(gid);
        carry_tracers(gid, dt);
    }
}

void Solver::update(std::int64_t gid, double dt) const {
    const View gas = halo::view(mesh_->gas, gid), flux = halo::view(mesh_->flux, gid), along_x = flux.place(0), along_y = flux.place(1);
    const double scale = dt / width(level(gid));
    for (const auto [x, y, z] : halo::indices(block)) {
        State u = state_at(gas, x, y);
        const State west = state_at(along_x, x, y), east = state_at(along_x, x + 1, y), south = state_at(along_y, x, y),
                    north = state_at(along_y, x, y + 1);
        for (std::size_t i = 0; i < n_values; ++i) u[i] -= scale * (east[i] - west[i] + (north[i] - south[i]));
        set_state(gas, x, y, u);
    }
    for (std::size_t t = 0; t < mesh_->tracers.size(); ++t)
        if (const View amounts = halo::view(mesh_->tracers[t], gid)) add_carried(amounts, halo::view(mesh_->tracer_fluxes[t], gid), level(gid));
}

void Solver::step() {
    if (steps_++ % parameters_.adapt_every == 0) adapt();
    const double dt = longest_step();
    set_velocity();
    fill_ghosts();
    compute_fluxes(dt);
    mesh_->fluxes.start(); // what leaves a finer block arrives in the coarser one
    mesh_->fluxes.finish();
    for (const std::int64_t gid : mesh_->topology.local_parts()) update(gid, dt);
    time_ += dt;
}

/// By the greatest steps between neighbouring cells, of the pressure and of tracers.
std::int32_t Solver::mark(std::int64_t gid) const {
    const View gas = halo::view(mesh_->gas, gid);
    const auto steepest = [&](auto &&difference) {
        double most = 0;
        for (const auto [x, y, z] : halo::indices(block))
            for (const auto &[i, j] : { std::pair(x + 1, y), std::pair(x, y + 1), std::pair(x - 1, y), std::pair(x, y - 1) })
                most = std::max(most, difference(x, y, i, j));
        return most;
    };
    double change = steepest([&](auto x, auto y, auto i, auto j) {
        const double here = pressure(state_at(gas, x, y));
        return std::abs(pressure(state_at(gas, i, j)) - here) / here;
    });
    for (const halo::Field &tracer : mesh_->tracers)
        if (const View amounts = halo::view(tracer, gid))
            change = std::max(change, steepest([&](auto x, auto y, auto i, auto j) { return 0.2 * std::abs(amounts(i, j) - amounts(x, y)); }));
    if (change > 0.1) return level(gid) == parameters_.deepest ? HALO_MARK_KEEP : HALO_MARK_REFINE;
    return change < 0.02 ? HALO_MARK_COARSEN : HALO_MARK_KEEP;
}

/// Of all blocks, on every rank.
std::vector<std::int32_t> Solver::marks() const {
    std::vector<std::int32_t> marks(forest_.leaves().size(), HALO_MARK_COARSEN);
    for (const std::int64_t gid : mesh_->topology.local_parts()) marks[static_cast<std::size_t>(gid)] = mark(gid);
    context_.allreduce(std::span<std::int32_t>(marks), HALO_MAX);
    return marks;
}

/// What the blocks of a new list cost in a step: the gas 4, each tracer that is stored there 1.
std::vector<double> Solver::weights(const std::vector<halo_leaf> &leaves, std::span<const std::int64_t> from) const {
    std::vector<std::int32_t> stored(forest_.leaves().size(), 0);
    for (const std::int64_t gid : mesh_->topology.local_parts())
        for (const halo::Field &tracer : mesh_->tracers) stored[static_cast<std::size_t>(gid)] += tracer.data(gid) ? 1 : 0;
    context_.allreduce(std::span<std::int32_t>(stored), HALO_MAX);
    std::vector<double> weights(leaves.size());
    for (std::size_t gid = 0; gid < leaves.size(); ++gid) weights[gid] = 4.0 + stored[static_cast<std::size_t>(from[gid])];
    return weights;
}

/// From the old list of blocks: one transfer, one message to each peer. Where tracers come to is given storage. What has kept its storage stays.
void Solver::move_to(Mesh &mesh) const {
    const std::vector<halo_field *> from = handles({ mesh_->gas }, mesh_->tracers), to = handles({ mesh.gas }, mesh.tracers);
    halo::Exchange move(from, to, HALO_TRANSFER_DESC_INIT);
    move.start();
    while (!move.test()) std::this_thread::yield();
    for (const halo_arrival &arrival : move.arrivals()) halo::check(halo_field_allocate(arrival.field, arrival.gid));
    move.finish();
}

/// False: the blocks stay as they are.
bool Solver::adapt() {
    set_velocity();
    fill_ghosts(); // read by marks, and by blocks that are refined
    halo::Forest next = forest_;
    const std::vector<std::int64_t> from = next.adapt(marks());
    const auto same = [](const halo_leaf &a, const halo_leaf &b) { return a.level == b.level && a.at[0] == b.at[0] && a.at[1] == b.at[1]; };
    if (std::ranges::equal(next.leaves(), forest_.leaves(), same)) return false;
    next.place(context_.n_ranks(), weights(next.leaves(), from));
    auto mesh = std::make_unique<Mesh>(context_, next, parameters_, *this, mesh_.get());
    move_to(*mesh);
    mesh_.swap(mesh);
    forest_ = next;
    ++remeshes_;
    return true;
}

void Solver::for_each_cell(const Visit &visit) const {
    std::vector<double> amounts(mesh_->tracers.size());
    for (const halo_part &part : halo::parts(mesh_->topology)) {
        const View gas = halo::view(mesh_->gas, part.gid);
        std::vector<View> tracers;
        for (const halo::Field &tracer : mesh_->tracers) tracers.push_back(halo::view(tracer, part.gid));
        for (const auto [x, y, z] : halo::indices(block)) {
            for (std::size_t t = 0; t < tracers.size(); ++t) amounts[t] = tracers[t] ? tracers[t](x, y) : std::numeric_limits<double>::quiet_NaN();
            visit(part.level, part.cells.low[0] + x, part.cells.low[1] + y, state_at(gas, x, y), amounts);
        }
    }
}

std::vector<double> Solver::totals() const {
    std::vector<ranks::ExactSum> sums(2 + mesh_->tracers.size());
    for_each_cell([&](int level, std::int64_t, std::int64_t, const State &u, std::span<const double> tracers) {
        const double area = width(level) * width(level);
        sums[0].add(u[0] * area);
        sums[1].add(u[3] * area);
        for (std::size_t t = 0; t < tracers.size(); ++t)
            if (!std::isnan(tracers[t])) sums[2 + t].add(tracers[t] * area);
    });
    std::vector<double> totals;
    for (ranks::ExactSum &sum : sums) {
        context_.allreduce(sum.words(), HALO_SUM);
        totals.push_back(sum.value());
    }
    return totals;
}

Occupancy Solver::occupancy() const {
    std::int64_t counts[] = { 0, 0, given_ };
    for (const std::int64_t gid : mesh_->topology.local_parts())
        for (std::size_t t = 0; t < mesh_->tracers.size(); ++t)
            for (const halo::Field *field : { &mesh_->tracers[t], &mesh_->tracer_fluxes[t] })
                if (field->data(gid)) {
                    counts[0] += field == &mesh_->tracers[t] ? 1 : 0;
                    counts[1] += field->layout(gid).elements * static_cast<std::int64_t>(sizeof(double));
                }
    context_.allreduce(std::span<std::int64_t>(counts), HALO_SUM);
    return { counts[0], static_cast<std::int64_t>(forest_.leaves().size() * mesh_->tracers.size()), counts[1], counts[2] };
}

} // namespace adaptive
