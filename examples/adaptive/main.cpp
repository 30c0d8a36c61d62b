// SPDX-License-Identifier: BSD-3-Clause
// A blast wave on blocks that are refined where it goes, and made coarse again behind it.
//   adaptive --steps 300                          alone
//   mpirun -n 4 adaptive                          with MPI
//   adaptive --inproc 4 --cells cells.csv         ranks as threads; the cells at the end, for draw.py
#include "solver.h"

#include "digest.h"
#include "program.h"

#include <fstream>

namespace {

/// One rank after the other writes its cells.
void write_cells(const halo::Context &context, const adaptive::Solver &solver, const std::string &path) {
    for (int rank = 0; rank < context.n_ranks(); ++rank) {
        if (rank == context.rank()) {
            std::ofstream file(path, rank == 0 ? std::ios::trunc : std::ios::app);
            if (rank == 0) file << "x,y,width,density\n";
            solver.for_each_cell([&](int level, std::int64_t x, std::int64_t y, const adaptive::State &u) {
                const double h = solver.width(level);
                file << static_cast<double>(x) * h << ',' << static_cast<double>(y) * h << ',' << h << ',' << u[0] << '\n';
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

bool run(const halo::Context &context, const Options &options) {
    adaptive::Solver solver(context, options.parameters);
    const bool speaks = context.rank() == 0;
    const std::array<double, 2> before = solver.totals();
    for (int step = 1; step <= options.steps; ++step) {
        solver.step();
        if (speaks && step % 50 == 0)
            std::printf("step %d, time %.4f: %zu blocks after %d remeshes\n", step, solver.time(), solver.leaves().size(), solver.remeshes());
    }
    const std::array<double, 2> after = solver.totals();
    ranks::Digest digest;
    solver.for_each_cell([&](int level, std::int64_t x, std::int64_t y, const adaptive::State &u) {
        for (std::size_t i = 0; i < adaptive::n_values; ++i)
            digest.add(static_cast<std::uint64_t>(((std::int64_t{ level } << 28 | y) << 28 | x) * adaptive::n_values) + i, u[i]);
    });
    const std::uint64_t bits = digest.value(context);
    bool conserved = true;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const double change = std::abs(after[i] - before[i]) / before[i];
        conserved = conserved && change < 1e-13;
        if (speaks)
            std::printf("total %s: %.15g, changed by %.1e of it: %s\n", i == 0 ? "mass" : "energy", after[i], change,
                        change < 1e-13 ? "pass" : "FAIL");
    }
    if (speaks)
        std::printf("  result: %d remeshes, %zu blocks, digest %016llx\n", solver.remeshes(), solver.leaves().size(),
                    static_cast<unsigned long long>(bits));
    if (!options.cells.empty()) write_cells(context, solver, options.cells);
    return conserved;
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app("A blast wave on adaptive blocks", "adaptive");
    Options options;
    app.add_option("--steps", options.steps, "of time")->check(CLI::NonNegativeNumber)->capture_default_str();
    app.add_option("--roots", options.parameters.roots, "blocks along x and y on the coarsest level")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--deepest", options.parameters.deepest, "level of refinement")->check(CLI::Range(0, 12))->capture_default_str();
    app.add_option("--adapt-every", options.parameters.adapt_every, "steps")->check(CLI::PositiveNumber)->capture_default_str();
    app.add_option("--cells", options.cells, "file for the cells at the end");
    return ranks::run_program(app, argc, argv, [&](const halo::Context &context) { return run(context, options); });
}
