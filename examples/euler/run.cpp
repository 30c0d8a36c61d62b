// SPDX-License-Identifier: BSD-3-Clause
#include "run.h"

#include "on_device.h"
#include "problems.h"
#include "progress.h"
#include "report.h"
#include "solver.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

namespace euler {

namespace {

const char *verdict(bool passed) { return passed ? "pass" : "FAIL"; }

halo_box whole_grid(const Parameters &p) { return { { 0, 0, 0 }, { p.cells[0], p.cells[1], p.cells[2] } }; }

void print_header(const Parameters &p, int n_ranks, const std::string &where) {
    std::printf("%s: %lld x %lld x %lld cells in %lld blocks, %d tracers, %d rank%s%s\n", p.problem.c_str(), static_cast<long long>(p.cells[0]),
                static_cast<long long>(p.cells[1]), static_cast<long long>(p.cells[2]), static_cast<long long>(p.n_blocks()), p.tracers, n_ranks,
                n_ranks == 1 ? "" : "s", where.c_str());
}

/// Compare with the exact solution, in every cell of the grid.
void compare_with_exact(const Solver &solver, Outcome &outcome, bool speak) {
    const auto &p = outcome.parameters;
    const auto density = solver.gather(0, whole_grid(p));
    const RiemannSolution exact(sod_left, sod_right, p.gamma);
    const std::int64_t n = p.cells[p.direction], stride[3] = { 1, p.cells[0], p.cells[0] * p.cells[1] };
    double sum = 0;
    for (std::size_t at = 0; at < density.size(); ++at) {
        const auto i = static_cast<std::int64_t>(at) / stride[p.direction] % n;
        const double x = (static_cast<double>(i) + 0.5 - 0.5 * static_cast<double>(n)) * p.cell_size();
        sum += std::fabs(density[at] - exact.at(x / outcome.time).density);
    }
    outcome.density_error = sum / static_cast<double>(density.size());
    for (std::int64_t i = 0; i < n; ++i) outcome.profile.push_back(density[static_cast<std::size_t>(i * stride[p.direction])]);
    outcome.passed = outcome.density_error < 2.0 / static_cast<double>(n);
    if (speak) std::printf("  L1 error of density against the exact Riemann solution: %.3e   %s\n", outcome.density_error, verdict(outcome.passed));
}

void take_slice(const Solver &solver, Outcome &outcome) {
    const auto &p = outcome.parameters;
    auto plane = whole_grid(p);
    plane.low[2] = p.cells[2] / 2;
    plane.high[2] = plane.low[2] + 1;
    outcome.density = solver.gather(0, plane);
    const auto n = p.blocks();
    for (int t = 0; t < p.tracers; ++t) {
        outcome.tracers.push_back(solver.gather(n_conserved + t, plane));
        const auto stored = solver.tracer_blocks(t);
        std::vector<std::int64_t> in_plane(static_cast<std::size_t>(n[0] * n[1]), 0);
        for (std::int64_t gid = 0; gid < p.n_blocks(); ++gid) {
            const auto cells = solver.part(gid).cells;
            if (cells.low[2] > plane.low[2] || cells.high[2] <= plane.low[2]) continue;
            const auto column = cells.low[0] / p.block[0], row = cells.low[1] / p.block[1];
            in_plane[static_cast<std::size_t>(column + n[0] * row)] = stored[static_cast<std::size_t>(gid)];
        }
        outcome.tracer_blocks.push_back(in_plane);
    }
}

/// Relative change of the totals. In a periodic box nothing gets lost but what released blocks held, which is counted.
void check_totals(const std::vector<double> &before, const std::vector<double> &after, const std::vector<double> &released, Outcome &outcome,
                  bool speak) {
    const double momentum_scale = std::sqrt(2 * before[0] * before[4]); // the most that this mass and energy can carry
    const auto drift = [&](std::size_t c) {
        const double scale = c >= 1 && c <= 3 ? momentum_scale : before[c];
        return std::fabs(after[c] + (c >= n_conserved ? released[c - n_conserved] : 0.0) - before[c]) / scale;
    };
    const double momentum = std::max({ drift(1), drift(2), drift(3) });
    double tracers = 0, given_up = 0;
    for (std::size_t c = n_conserved; c < before.size(); ++c) {
        tracers = std::max(tracers, drift(c));
        given_up = std::max(given_up, std::fabs(released[c - n_conserved]) / before[c]);
    }
    const bool finite = std::all_of(after.begin(), after.end(), [](double total) { return std::isfinite(total); });
    outcome.passed = finite && std::max({ drift(0), momentum, drift(4), tracers }) < 1e-12;
    if (!speak) return;
    std::printf("  relative drift of totals: mass %.1e, momentum %.1e, energy %.1e", drift(0), momentum, drift(4));
    if (!released.empty()) std::printf(", tracers %.1e (besides %.1e in released blocks)", tracers, given_up);
    std::printf("   %s\n", verdict(outcome.passed));
}

std::unique_ptr<Solver> make_solver(const halo::Context &context, const Parameters &parameters, device::Queue *queue) {
    std::unique_ptr<Solver> solver;
    if (queue != nullptr)
        solver = std::make_unique<OnDevice>(context, parameters, *queue);
    else
        solver = std::make_unique<Solver>(context, parameters);
    solver->begin();
    return solver;
}

} // namespace

Outcome run(const halo::Context &context, const device::Device &device, const Parameters &parameters) {
    const bool speak = context.rank() == 0;
    const auto queue = device.make_queue(context);
    if (speak) print_header(parameters, context.n_ranks(), queue ? std::string(", on device ") + context.setting("device").first : "");
    Outcome outcome;
    outcome.parameters = parameters;
    const auto made = make_solver(context, parameters, queue.get());
    Solver &solver = *made;
    const auto before = solver.totals();

    Progress progress(speak ? parameters.progress : "none", parameters.end_time, parameters.n_cells());
    for (std::int64_t step = 1; outcome.time < parameters.end_time && step <= parameters.max_steps; ++step) {
        const double dt = std::min(solver.stable_step(), parameters.end_time - outcome.time);
        solver.advance(dt);
        outcome.time += dt;
        progress.show(step, outcome.time, dt);
    }
    const double seconds = progress.elapsed();

    if (parameters.problem == "sod")
        compare_with_exact(solver, outcome, speak);
    else
        take_slice(solver, outcome);
    const auto &sides = parameters.boundary;
    if (std::count(sides.begin(), sides.end(), "periodic") == 3) check_totals(before, solver.totals(), solver.released_masses(), outcome, speak);
    report_counters(context, parameters, solver, seconds);
    const auto digest = solver.digest();
    if (speak) std::printf("  digest of the state %016llx\n", static_cast<unsigned long long>(digest));
    return outcome;
}

} // namespace euler
