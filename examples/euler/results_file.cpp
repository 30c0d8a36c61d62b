// SPDX-License-Identifier: BSD-3-Clause
#include "results_file.h"

#include "problems.h"

#include <fstream>
#include <stdexcept>

namespace euler {

namespace {

template <class T>
void write(std::ostream &out, const std::vector<T> &values);
template <class T>
void write(std::ostream &out, const T &value) {
    out << value;
}
template <class T>
void write(std::ostream &out, const std::vector<T> &values) {
    out << '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i > 0) out << ", ";
        write(out, values[i]);
    }
    out << ']';
}

template <class T>
void member(std::ostream &out, const char *name, const T &value) {
    out << ",\n  \"" << name << "\": ";
    write(out, value);
}

/// Density of the exact solution at `n` places of equal distance.
std::vector<double> exact_profile(const Outcome &outcome, int n) {
    const RiemannSolution exact(sod_left, sod_right, outcome.parameters.gamma);
    std::vector<double> density;
    density.reserve(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) density.push_back(exact.at(((i + 0.5) / n - 0.5) * outcome.parameters.length / outcome.time).density);
    return density;
}

void write_outcome(std::ostream &out, const Outcome &outcome) {
    const auto &p = outcome.parameters;
    const auto blocks = p.blocks();
    out << "{ \"problem\": \"" << p.problem << '"';
    member(out, "time", outcome.time);
    if (p.problem == "sod") {
        member(out, "density_error", outcome.density_error);
        member(out, "profile", outcome.profile);
        member(out, "exact", exact_profile(outcome, 1000));
    } else {
        member(out, "cells", std::vector<std::int64_t>{ p.cells[0], p.cells[1] });
        member(out, "blocks", std::vector<std::int64_t>{ blocks[0], blocks[1] });
        member(out, "density", outcome.density);
        member(out, "tracers", outcome.tracers);
        member(out, "tracer_blocks", outcome.tracer_blocks);
    }
    out << " }";
}

} // namespace

void write_results(const std::vector<Outcome> &outcomes, const std::string &file) {
    std::ofstream out(file);
    out.precision(9);
    out << '[';
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        if (i > 0) out << ",\n";
        write_outcome(out, outcomes[i]);
    }
    out << "]\n";
    if (!out.flush()) throw std::runtime_error(file + ": cannot be written");
}

} // namespace euler
