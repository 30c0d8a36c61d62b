// SPDX-License-Identifier: BSD-3-Clause
#include "run.h"

#include "cases.h"
#include "digest.h"
#include "exact_sum.h"
#include "on_device.h"
#include "planet.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <stdexcept>

namespace shallow {

namespace {

using StateAt = std::function<State(const Point &)>;

/// Of cells' values times their areas, in exact sums, so that they are the same for any number of ranks.
class Integral {
public:
    void add(double area, double value) { sum_.add(area * value); }
    double of_all(const halo::Context &context) {
        context.allreduce(sum_.words(), HALO_SUM);
        return sum_.value();
    }

private:
    ranks::ExactSum sum_;
};

double mass(const halo::Context &context, const Solver &solver) {
    Integral all;
    solver.each([&](std::uint64_t, const Point &, double area, const State &state) { all.add(area, state.depth); });
    return all.of_all(context);
}

void compare(const halo::Context &context, const Solver &solver, const StateAt &exact, Outcome &outcome) {
    Integral differences, squares;
    double greatest = 0, deepest = 0;
    ranks::Digest digest;
    solver.each([&](std::uint64_t key, const Point &place, double area, const State &state) {
        const double right = exact(place).depth, difference = state.depth - right;
        differences.add(area, difference * difference);
        squares.add(area, right * right);
        greatest = std::max(greatest, std::fabs(difference));
        deepest = std::max(deepest, right);
        digest.add(4 * key, state.depth);
        for (std::size_t d = 0; d < 3; ++d) digest.add(4 * key + d + 1, state.momentum[d]);
    });
    const double all = differences.of_all(context);
    outcome.error = std::sqrt(all / squares.of_all(context));
    outcome.greatest = context.allreduce(greatest, HALO_MAX) / context.allreduce(deepest, HALO_MAX);
    outcome.digest = digest.value(context);
}

double fastest_wave(const halo::Context &context, const Solver &solver) {
    double fastest = 0;
    solver.each([&](std::uint64_t, const Point &, double, const State &state) {
        fastest = std::max(fastest, length(state.momentum) / state.depth + std::sqrt(gravity * state.depth));
    });
    return context.allreduce(fastest, HALO_MAX);
}

/// One line for each cell: rank, depth, then the corners of its polygon.
void write_cells(const halo::Context &context, const Mesh &mesh, const Solver &solver, const std::string &file) {
    std::ofstream out(file);
    solver.each([&](std::uint64_t key, const Point &, double, const State &state) {
        out << context.rank() << ' ' << state.depth;
        for (const Point &corner : mesh.corners(key)) out << ' ' << corner[0] << ' ' << corner[1] << ' ' << corner[2];
        out << '\n';
    });
    if (!out.flush()) throw std::runtime_error(file + ": cannot be written");
}

void report(const halo::Context &context, bool on_device, const Outcome &outcome, double seconds, const halo_exchange_stats &stats) {
    std::int64_t counts[] = { stats.messages_sent, stats.payload_bytes };
    context.allreduce(std::span<std::int64_t>(counts), HALO_SUM);
    if (context.rank() != 0) return;
    const std::string where = on_device ? std::string(" on device ") + context.setting("device").first : "";
    std::printf("%lld cells, %lld steps of three stages%s on %d rank%s: %.2f s; %lld messages, %lld bytes of values\n",
                static_cast<long long>(outcome.n_cells), static_cast<long long>(outcome.n_steps), where.c_str(), context.n_ranks(),
                context.n_ranks() == 1 ? "" : "s", seconds, static_cast<long long>(counts[0]), static_cast<long long>(counts[1]));
    std::printf("  depth against the start: %.4e in the L2 norm, %.4e at most; mass changed by %.1e of it\n", outcome.error, outcome.greatest,
                outcome.mass_change);
    std::printf("  result: %lld cells, state %016llx\n", static_cast<long long>(outcome.n_cells), static_cast<unsigned long long>(outcome.digest));
}

std::unique_ptr<Solver> make_solver(const Mesh &mesh, const Point &axis, device::Queue *queue) {
    std::unique_ptr<Solver> solver;
    if (queue != nullptr)
        solver = std::make_unique<OnDevice>(mesh, axis, *queue);
    else
        solver = std::make_unique<Solver>(mesh, axis);
    solver->begin();
    return solver;
}

} // namespace

Outcome run(const halo::Context &context, device::Queue *queue, Flow flow, std::int64_t n, double days, const std::string &picture) {
    const Mesh mesh(context, n);
    const Point axis = flow == Flow::steady ? tilted_axis() : Point{ 0, 0, 1 };
    const StateAt start = [&](const Point &place) { return flow == Flow::steady ? steady_flow(axis, place) : rossby_wave(place); };
    const auto made = make_solver(mesh, axis, queue);
    Solver &solver = *made;
    solver.set(start);
    Outcome outcome;
    outcome.n_cells = mesh.n_cells();
    constexpr double courant = 0.5;
    const double longest = courant * mesh.spacing() * radius / fastest_wave(context, solver);
    outcome.n_steps = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(days * day / longest)));
    const double mass_before = mass(context, solver), seconds = days * day / static_cast<double>(outcome.n_steps);
    const auto begin = std::chrono::steady_clock::now();
    for (std::int64_t step = 0; step < outcome.n_steps; ++step) solver.step(seconds);
    solver.wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    outcome.mass_change = mass(context, solver) / mass_before - 1;
    compare(context, solver, start, outcome);
    report(context, queue != nullptr, outcome, took.count(), solver.stats());
    if (!picture.empty()) write_cells(context, mesh, solver, picture + "_" + std::to_string(context.rank()) + ".txt");
    return outcome;
}

} // namespace shallow
