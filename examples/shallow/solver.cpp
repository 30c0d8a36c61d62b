// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

#include "planet.h"

#include <algorithm>

namespace shallow {

namespace {

Point velocity(const State &state) { return (1 / state.depth) * state.momentum; }

double wave_speed(const State &state, const Point &outward) { return std::fabs(dot(velocity(state), outward)) + std::sqrt(gravity * state.depth); }

} // namespace

Solver::Solver(const Mesh &mesh, const Point &axis) : mesh_(mesh), axis_(axis) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "depth and momentum";
    desc.n_components = n_values;
    field_.emplace(mesh.topology(), desc);
    for (const Part &part : mesh.parts()) {
        for (auto *values : { &now_, &stage_, &next_ }) values->emplace_back(n_values * part.keys.size());
        slopes_.emplace_back(part.gradients.size());
        halo_layout layout = HALO_LAYOUT_INIT;
        layout.elements = static_cast<std::int64_t>(n_values * part.keys.size());
        layout.stride[0] = layout.stride[1] = layout.stride[2] = n_values;
        layout.component_stride = 1;
        halo_binding memory = HALO_BINDING_INIT;
        memory.data = stage_.back().data();
        memory.layout = &layout;
        field_->bind(part.gid, memory);
    }
    exchange_.emplace(std::initializer_list<halo_field *>{ *field_ });
}

State Solver::read(const Values &values, std::size_t cell) {
    const double *at = &values[n_values * cell];
    return { at[0], { at[1], at[2], at[3] } };
}

void Solver::write(Values &values, std::size_t cell, const State &state) {
    double *at = &values[n_values * cell];
    at[0] = state.depth;
    std::copy(state.momentum.begin(), state.momentum.end(), at + 1);
}

void Solver::set(const std::function<State(const Point &)> &initial) {
    for (std::size_t part = 0; part < mesh_.parts().size(); ++part)
        for (std::size_t cell = 0; cell < mesh_.parts()[part].cells.size(); ++cell)
            write(now_[part], cell, initial(mesh_.parts()[part].places[cell]));
}

void Solver::each(const std::function<void(std::uint64_t, const Point &, double, const State &)> &visit) const {
    for (std::size_t p = 0; p < mesh_.parts().size(); ++p) {
        const Part &part = mesh_.parts()[p];
        for (std::size_t cell = 0; cell < part.cells.size(); ++cell)
            visit(part.keys[cell], part.places[cell], part.cells[cell].area, read(now_[p], cell));
    }
}

void Solver::step(double seconds) {
    for (std::size_t part = 0; part < now_.size(); ++part) std::copy(now_[part].begin(), now_[part].end(), stage_[part].begin());
    advance(0, 1, seconds);
    advance(0.75, 0.25, seconds);
    advance(1.0 / 3, 2.0 / 3, seconds);
    for (std::size_t part = 0; part < now_.size(); ++part) std::copy(stage_[part].begin(), stage_[part].end(), now_[part].begin());
}

void Solver::advance(double a, double b, double seconds) {
    exchange_->start();
    exchange_->finish();
    for (std::size_t part = 0; part < now_.size(); ++part) {
        find_slopes(part);
        for (std::size_t cell = 0; cell < mesh_.parts()[part].cells.size(); ++cell) {
            const State was = read(now_[part], cell), is = read(stage_[part], cell), rate = tendency(part, cell);
            write(next_[part], cell,
                  { a * was.depth + b * (is.depth + seconds * rate.depth), a * was.momentum + b * (is.momentum + seconds * rate.momentum) });
        }
    }
    for (std::size_t part = 0; part < now_.size(); ++part)
        std::copy_n(next_[part].begin(), n_values * mesh_.parts()[part].cells.size(), stage_[part].begin());
}

void Solver::find_slopes(std::size_t part) {
    const auto &gradients = mesh_.parts()[part].gradients;
    for (std::size_t cell = 0; cell < gradients.size(); ++cell) {
        const Gradient &gradient = gradients[cell];
        const State here = read(stage_[part], cell);
        const Point moves = velocity(here);
        Slope slope{};
        for (int k = 0; k < gradient.n; ++k) {
            const State there = read(stage_[part], gradient.around[k]);
            const Point faster = velocity(there) - moves;
            slope.depth = slope.depth + (there.depth - here.depth) * gradient.weights[k];
            for (std::size_t d = 0; d < 3; ++d) slope.velocity[d] = slope.velocity[d] + faster[d] * gradient.weights[k];
        }
        slopes_[part][cell] = slope;
    }
}

State Solver::at_side(std::size_t part, std::size_t cell, const Side &side) const {
    const State here = read(stage_[part], cell);
    const Slope &slope = slopes_[part][cell];
    const Point way = side.middle - mesh_.parts()[part].places[cell];
    const double depth = here.depth + dot(slope.depth, way);
    Point moves = velocity(here);
    for (std::size_t d = 0; d < 3; ++d) moves[d] += dot(slope.velocity[d], way);
    return { depth, depth * tangent(moves, side.middle) };
}

// Changes its sign, and nothing else, as seen from the other cell.
State Solver::flux(std::size_t part, std::size_t cell, const Side &side) const {
    const State here = at_side(part, cell, side), there = at_side(part, side.beyond, side);
    const double out_here = dot(velocity(here), side.outward), out_there = dot(velocity(there), side.outward);
    const double speed = std::max(wave_speed(here, side.outward), wave_speed(there, side.outward));
    const double pressure = gravity / 2 * (here.depth * here.depth + there.depth * there.depth);
    return { 0.5 * (out_here * here.depth + out_there * there.depth) - 0.5 * speed * (there.depth - here.depth),
             0.5 * (out_here * here.momentum + out_there * there.momentum + pressure * side.outward) -
                 (0.5 * speed) * (there.momentum - here.momentum) };
}

// The pressure of a cell on itself is taken off: its sides do not quite close, on the sphere.
State Solver::tendency(std::size_t part, std::size_t cell) const {
    const Cell &shape = mesh_.parts()[part].cells[cell];
    const Point &place = mesh_.parts()[part].places[cell];
    const State here = read(stage_[part], cell);
    State out;
    for (int k = 0; k < shape.n_sides; ++k) {
        const Side &side = shape.sides[k];
        const State through = flux(part, cell, side);
        out.depth += side.length * through.depth;
        out.momentum = out.momentum + side.length * (through.momentum - (gravity / 2 * here.depth * here.depth) * side.outward);
    }
    const double scale = -1 / (shape.area * radius);
    const Point turned = (2 * rotation * dot(axis_, place)) * cross(place, here.momentum);
    return { scale * out.depth, tangent(scale * out.momentum - turned, place) };
}

} // namespace shallow
