// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation on the unit square by V-cycles: each level of a multigrid is a topology of its own, of the same blocks on the same ranks.
//   multigrid --cells 64                          alone
//   mpirun -n 4 multigrid                         with MPI
//   multigrid --inproc 4                          ranks as threads
#include "level.h"

#include "digest.h"
#include "program.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>

namespace {

using multigrid::Level;

struct Options {
    int blocks = 4;
    int cells = 32;
    int cycles = 8;
};

double known(double x, double y) { return std::sin(std::numbers::pi * x) * std::sin(2 * std::numbers::pi * y); }

/// visit(part, i, j, x, y) of the cells of this rank, (x, y) in the middle of each.
template <class Visit>
void for_each_cell(const Level &level, Visit &&visit) {
    for (const halo_part &part : level.parts())
        halo::for_each(halo::owned_cells(part), [&](std::int64_t i, std::int64_t j, std::int64_t) {
            const auto middle = [&](std::int64_t cell) { return (static_cast<double>(cell) + 0.5) * level.width(); };
            visit(part, i, j, middle(part.cells.low[0] + i), middle(part.cells.low[1] + j));
        });
}

/// Halves the cells of blocks until they have two.
std::vector<std::unique_ptr<Level>> levels_of(const halo::Context &context, const Options &options) {
    std::vector<std::unique_ptr<Level>> levels;
    for (int cells = options.cells; cells >= 2; cells /= 2) {
        levels.push_back(std::make_unique<Level>(context, options.blocks, cells));
        if (cells % 2 != 0) break;
    }
    return levels;
}

void v_cycle(std::span<const std::unique_ptr<Level>> levels, int sweeps_below) {
    Level &fine = *levels[0];
    if (levels.size() == 1) return fine.smooth(sweeps_below);
    Level &coarse = *levels[1];
    fine.smooth(2);
    fine.fill_ghosts();
    restrict_residual(fine, coarse);
    v_cycle(levels.subspan(1), sweeps_below);
    coarse.fill_ghosts();
    add_correction(coarse, fine);
    fine.smooth(2);
}

double greatest_residual(const halo::Context &context, Level &level) {
    level.fill_ghosts();
    double greatest = 0;
    for_each_cell(level, [&](const halo_part &part, std::int64_t i, std::int64_t j, double, double) {
        greatest = std::max(greatest, std::abs(level.residual(part, i, j)));
    });
    return context.allreduce(greatest, HALO_MAX);
}

bool run(const halo::Context &context, const Options &options) {
    const auto levels = levels_of(context, options);
    Level &finest = *levels[0];
    const bool speaks = context.rank() == 0;
    for_each_cell(finest, [&](const halo_part &part, std::int64_t i, std::int64_t j, double x, double y) {
        finest.f(part)(i, j) = 5 * std::numbers::pi * std::numbers::pi * known(x, y);
    });
    const int sweeps_below = 2 * options.blocks * options.blocks + 8;
    const double first = greatest_residual(context, finest);
    double before = first, slowest = 0;
    for (int cycle = 1; cycle <= options.cycles; ++cycle) {
        v_cycle(levels, sweeps_below);
        const double now = greatest_residual(context, finest), factor = now / before;
        if (before > 1e-9 * first) slowest = std::max(slowest, factor); // what is left below is round-off
        if (speaks) std::printf("cycle %d: greatest residual %.3e, %.3f of that before\n", cycle, now, factor);
        before = now;
    }
    double error = 0;
    ranks::Digest digest;
    const std::int64_t n = std::int64_t{ options.blocks } * options.cells;
    for_each_cell(finest, [&](const halo_part &part, std::int64_t i, std::int64_t j, double x, double y) {
        const double u = finest.u(part)(i, j);
        error = std::max(error, std::abs(u - known(x, y)));
        digest.add(static_cast<std::uint64_t>((part.cells.low[1] + j) * n + part.cells.low[0] + i), u);
    });
    error = context.allreduce(error, HALO_MAX);
    const std::uint64_t bits = digest.value(context);
    const double second_order = 4.0 * finest.width() * finest.width();
    const bool passed = slowest < 0.2 && error < second_order;
    if (speaks) {
        std::printf("%zu levels, %lld x %lld cells: slowest cycle %.3f, greatest error %.3e, second order allows %.3e: %s\n", levels.size(),
                    static_cast<long long>(n), static_cast<long long>(n), slowest, error, second_order, passed ? "pass" : "FAIL");
        std::printf("  result: residual %.17g, digest %016llx\n", before, static_cast<unsigned long long>(bits));
    }
    return passed;
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app("Poisson's equation by multigrid", "multigrid");
    Options options;
    app.add_option("--blocks", options.blocks, "along x and y")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--cells", options.cells, "of a block along x and y, on the finest level")->check(CLI::Range(2, 4096))->capture_default_str();
    app.add_option("--cycles", options.cycles, "V-cycles")->check(CLI::PositiveNumber)->capture_default_str();
    return ranks::run_program(app, argc, argv, [&](const halo::Context &context) { return run(context, options); });
}
