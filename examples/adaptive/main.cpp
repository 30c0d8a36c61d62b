// SPDX-License-Identifier: BSD-3-Clause
// A blast wave and tracers on blocks that are refined where they go, and made coarse again behind them.
//   adaptive --steps 300                          alone
//   mpirun -n 4 adaptive                          with MPI
//   adaptive --inproc 4 --cells cells.csv         ranks as threads; the cells at the end, for draw.py
#include "solver.h"

#include "digest.h"
#include "program.h"

#include <cmath>
#include <fstream>
#include <stdexcept>
#include <string>

namespace {

/// One rank after the other writes its cells; of tracers nothing where they have no storage.
void write_cells(const halo::Context &context, const adaptive::Solver &solver, const std::string &path) {
    for (int rank = 0; rank < context.n_ranks(); ++rank) {
        if (rank == context.rank()) {
            std::ofstream file(path, rank == 0 ? std::ios::trunc : std::ios::app);
            if (rank == 0) file << "x,y,width,density,tracers\n";
            solver.for_each_cell([&](int level, std::int64_t x, std::int64_t y, const adaptive::State &u, std::span<const double> tracers) {
                const double h = solver.width(level);
                file << static_cast<double>(x) * h << ',' << static_cast<double>(y) * h << ',' << h << ',' << u[0] << ',';
                for (std::size_t t = 0; t < tracers.size(); ++t) {
                    if (t > 0) file << ' ';
                    if (std::isnan(tracers[t]))
                        file << '-';
                    else
                        file << tracers[t];
                }
                file << '\n';
            });
            if (!file.flush()) throw std::runtime_error("cannot write " + path);
        }
        context.barrier();
    }
}

struct Options {
    adaptive::Parameters parameters;
    int steps = 300;
    std::string cells;
};

/// Of all values; the second one also of which blocks have storage.
std::array<std::uint64_t, 2> digests(const halo::Context &context, const adaptive::Solver &solver) {
    ranks::Digest values, storage;
    solver.for_each_cell([&](int level, std::int64_t x, std::int64_t y, const adaptive::State &u, std::span<const double> tracers) {
        const std::uint64_t cell = static_cast<std::uint64_t>((std::int64_t{ level } << 28 | y) << 28 | x) * 16;
        for (std::size_t i = 0; i < u.size(); ++i) values.add(cell + i, u[i]);
        for (std::size_t t = 0; t < tracers.size(); ++t) {
            const bool is_stored = !std::isnan(tracers[t]);
            values.add(cell + u.size() + t, is_stored ? tracers[t] : 0);
            storage.add(cell + u.size() + t, is_stored ? 1 : 0);
        }
    });
    return { values.value(context), storage.value(context) };
}

bool compare_totals(const std::vector<double> &before, const std::vector<double> &after, bool speaks) {
    bool conserved = true;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double change = after[i] == before[i] ? 0 : std::abs(after[i] - before[i]) / before[i]; // nothing is made of nothing
        conserved = conserved && change < 1e-13;
        const std::string name = i == 0 ? "mass" : i == 1 ? "energy" : "tracer " + std::to_string(i - 2);
        if (speaks) std::printf("total %s: %.15g, changed by %.1e of it: %s\n", name.c_str(), after[i], change, change < 1e-13 ? "pass" : "FAIL");
    }
    return conserved;
}

bool run(const halo::Context &context, const Options &options) {
    adaptive::Solver solver(context, options.parameters);
    const bool speaks = context.rank() == 0;
    const std::vector<double> before = solver.totals();
    double stored = 0; // part of the blocks, times tracers, in the mean over steps
    for (int step = 1; step <= options.steps; ++step) {
        solver.step();
        const adaptive::Occupancy now = solver.occupancy();
        if (now.of > 0) stored += static_cast<double>(now.blocks) / static_cast<double>(now.of) / options.steps;
        if (speaks && step % 50 == 0)
            std::printf("step %d, time %.4f: %zu blocks after %d remeshes; tracers have storage in %lld of %lld, %lld kB\n", step, solver.time(),
                        solver.leaves().size(), solver.remeshes(), static_cast<long long>(now.blocks), static_cast<long long>(now.of),
                        static_cast<long long>(now.bytes / 1000));
    }
    const bool conserved = compare_totals(before, solver.totals(), speaks);
    const auto [values, storage] = digests(context, solver);
    const adaptive::Occupancy now = solver.occupancy();
    if (speaks) {
        if (now.of > 0)
            std::printf("tracers had storage in %.1f %% of the blocks, in the mean; it was given %lld times when they came\n", 100 * stored,
                        static_cast<long long>(now.given));
        std::printf("  result: %d remeshes, %zu blocks, digest %016llx\n", solver.remeshes(), solver.leaves().size(),
                    static_cast<unsigned long long>(values));
        if (!options.parameters.dense)
            std::printf("  result: storage in %lld of %lld, digest %016llx\n", static_cast<long long>(now.blocks), static_cast<long long>(now.of),
                        static_cast<unsigned long long>(storage));
    }
    if (!options.cells.empty()) write_cells(context, solver, options.cells);
    return conserved;
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app("A blast wave and sparse tracers on adaptive blocks", "adaptive");
    Options options;
    app.add_option("--steps", options.steps, "of time")->check(CLI::NonNegativeNumber)->capture_default_str();
    app.add_option("--roots", options.parameters.roots, "blocks along x and y on the coarsest level")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--deepest", options.parameters.deepest, "level of refinement")->check(CLI::Range(0, 12))->capture_default_str();
    app.add_option("--adapt-every", options.parameters.adapt_every, "steps")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--tracers", options.parameters.tracers, "sparse fields")->check(CLI::Range(0, 5))->capture_default_str();
    app.add_option("--release-after", options.parameters.release_after, "runs in which a block has been empty of a tracer; 0: it keeps its storage")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_flag("--dense", options.parameters.dense, "tracers have storage in all blocks");
    app.add_option("--cells", options.cells, "file for the cells at the end");
    return ranks::run_program(app, argc, argv, [&](const halo::Context &context) { return run(context, options); });
}
