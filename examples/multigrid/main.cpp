// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation on the unit square by V-cycles: each level of a multigrid is a topology of its own, of the same blocks on the same ranks.
//   multigrid --cells 64                          alone
//   mpirun -n 4 multigrid                         with MPI
//   multigrid --inproc 4                          ranks as threads
#include "level.h"

#include "program.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>

namespace {

using multigrid::Level;

struct Options {
    int blocks = 4;
    int cells = 32;
    int cycles = 8;
};

halo_blocks_desc blocks_of(int blocks, int cells) {
    halo_blocks_desc desc = HALO_BLOCKS_DESC_INIT;
    desc.n_dims = 2;
    for (int d = 0; d < 2; ++d) desc.n_blocks[d] = blocks, desc.n_cells[d] = cells;
    return desc;
}

/// Halves the cells of blocks until they have two.
std::vector<std::unique_ptr<Level>> levels_of(const halo::Context &context, const Options &options) {
    std::vector<std::unique_ptr<Level>> levels;
    for (int cells = options.cells; cells >= 2; cells /= 2) {
        levels.push_back(std::make_unique<Level>(halo::Topology(context, blocks_of(options.blocks, cells)), options.blocks * cells));
        if (cells % 2 != 0) break;
    }
    return levels;
}

/// What is left on the finer level becomes the problem of the coarser one, which starts from 0.
void restrict_residual(const Level &fine, const Level &coarse) {
    for (std::size_t p = 0; p < fine.parts().size(); ++p) {
        const halo_part &part = fine.parts()[p], &below = coarse.parts()[p]; // the same block
        const halo::View<> u = coarse.u(below), f = coarse.f(below);
        halo::for_each(halo::owned_cells(below), [&](std::int64_t i, std::int64_t j, std::int64_t) {
            f(i, j) = 0.25 * (fine.residual(part, 2 * i, 2 * j) + fine.residual(part, 2 * i + 1, 2 * j) + fine.residual(part, 2 * i, 2 * j + 1) +
                              fine.residual(part, 2 * i + 1, 2 * j + 1));
            u(i, j) = 0;
        });
    }
}

/// The coarser level's solution is added to the finer one's, bilinearly. Ghosts of the coarser one's must be fresh.
void add_correction(const Level &coarse, const Level &fine) {
    for (std::size_t p = 0; p < fine.parts().size(); ++p) {
        const halo::View<> u = fine.u(fine.parts()[p]), v = coarse.u(coarse.parts()[p]);
        halo::for_each(halo::owned_cells(fine.parts()[p]), [&](std::int64_t i, std::int64_t j, std::int64_t) {
            const std::int64_t x = i / 2, y = j / 2, beside_x = x + (i % 2 != 0 ? 1 : -1), beside_y = y + (j % 2 != 0 ? 1 : -1);
            u(i, j) += (9 * v(x, y) + 3 * v(beside_x, y) + 3 * v(x, beside_y) + v(beside_x, beside_y)) / 16;
        });
    }
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

bool run(const halo::Context &context, const Options &options) {
    const auto levels = levels_of(context, options);
    Level &finest = *levels[0];
    const bool speaks = context.rank() == 0;
    multigrid::set_problem(finest);
    const int sweeps_below = 2 * options.blocks * options.blocks + 8;
    const double first = multigrid::greatest_residual(context, finest);
    double before = first, slowest = 0;
    for (int cycle = 1; cycle <= options.cycles; ++cycle) {
        v_cycle(levels, sweeps_below);
        const double now = multigrid::greatest_residual(context, finest), factor = now / before;
        if (before > 1e-9 * first) slowest = std::max(slowest, factor); // what is left below is round-off
        if (speaks) std::printf("cycle %d: greatest residual %.3e, %.3f of that before\n", cycle, now, factor);
        before = now;
    }
    const auto [error, digest] = multigrid::result_of(context, finest);
    const double second_order = 4.0 * finest.width() * finest.width();
    const bool passed = slowest < 0.2 && error < second_order;
    if (speaks) {
        std::printf("%zu levels, %d x %d cells: slowest cycle %.3f, greatest error %.3e, second order allows %.3e: %s\n", levels.size(),
                    finest.cells(), finest.cells(), slowest, error, second_order, passed ? "pass" : "FAIL");
        std::printf("  result: residual %.17g, digest %016llx\n", before, static_cast<unsigned long long>(digest));
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
