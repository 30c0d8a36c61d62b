// SPDX-License-Identifier: BSD-3-Clause
#include "solver.h"

namespace shallow {

namespace {

halo::Field make_field(const Mesh &mesh) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = "depth and momentum";
    desc.n_components = n_values;
    return { mesh.topology(), desc };
}

} // namespace

Solver::Solver(const Mesh &mesh, const Point &axis) : mesh_(mesh), axis_(axis), field_(make_field(mesh)) {
    values_[now].resize(static_cast<std::size_t>(n_all()));
}

void Solver::begin() {
    allocate();
    exchange_.emplace(std::initializer_list<halo_field *>{ field_ });
}

void Solver::allocate() {
    for (const Values which : { stage, next }) values_[which].resize(values_[now].size());
    slopes_.resize(mesh_.keys().size());
    bind(values_[stage].data(), HALO_BINDING_INIT);
}

void Solver::bind(double *memory, halo_binding binding) {
    for (const Part &part : mesh_.parts()) {
        halo_layout layout = HALO_LAYOUT_INIT;
        layout.elements = static_cast<std::int64_t>(n_values * part.n_cells);
        layout.stride[0] = layout.stride[1] = layout.stride[2] = n_values;
        layout.component_stride = 1;
        binding.data = memory + n_values * part.first;
        binding.layout = &layout;
        field_.bind(part.gid, binding);
    }
}

void Solver::set(const std::function<State(const Point &)> &initial) {
    for (const Cell &cell : mesh_.cells()) write_state(values_[now].data(), cell.at, initial(mesh_.places()[cell.at]));
}

void Solver::each(const std::function<void(std::uint64_t, const Point &, double, const State &)> &visit) const {
    for (const Cell &cell : mesh_.cells()) visit(mesh_.keys()[cell.at], mesh_.places()[cell.at], cell.area, read_state(values_[now].data(), cell.at));
}

void Solver::step(double seconds) {
    copy(stage, now);
    advance({ 0, 1, seconds, axis_ });
    advance({ 0.75, 0.25, seconds, axis_ });
    advance({ 1.0 / 3, 2.0 / 3, seconds, axis_ });
    copy(now, stage);
}

void Solver::advance(const Step &step) {
    exchange_->start();
    exchange_->finish();
    double *const at = values_[stage].data();
    for (const Gradient &gradient : mesh_.gradients()) slopes_[gradient.at] = slope_at(at, gradient);
    const Stage from{ mesh_.places().data(), at, slopes_.data() };
    for (const Cell &cell : mesh_.cells()) write_state(values_[next].data(), cell.at, advance_at(values_[now].data(), from, &cell, step));
    for (const Cell &cell : mesh_.cells()) write_state(at, cell.at, read_state(values_[next].data(), cell.at));
}

} // namespace shallow
