// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation on the unit square by V-cycles over levels of boxes: each level has boxes of one size, so that coarser levels have fewer boxes
// on fewer ranks, down to one. Residuals and corrections go from level to level by exchanges, to whichever ranks the boxes lie on.
//   multigrid_boxes --cells 256                   alone
//   mpirun -n 4 multigrid_boxes                   with MPI
//   multigrid_boxes --inproc 4                    ranks as threads
#include "level.h"

#include "program.h"

#include <halo_levels.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>
#include <vector>

namespace {

struct Options {
    int cells = 128;
    int box = 32;
    int cycles = 8;
};

halo::Topology make_boxes(const halo::Context &context, int cells, int box) {
    const int width = std::min(cells, box);
    std::vector<halo_box> boxes;
    for (int y = 0; y < cells; y += width)
        for (int x = 0; x < cells; x += width) boxes.push_back({ { x, y, 0 }, { std::min(x + width, cells), std::min(y + width, cells), 1 } });
    halo_boxes_desc desc = HALO_BOXES_DESC_INIT;
    desc.n_dims = 2, desc.domain.high[0] = desc.domain.high[1] = cells;
    desc.boxes = boxes.data(), desc.n_boxes = static_cast<std::int64_t>(boxes.size());
    return halo::Topology(context, desc);
}

/// With what is left of f, and what the coarser level has found for it.
class BoxLevel : public multigrid::Level {
public:
    BoxLevel(const halo::Context &context, int cells, int box)
        : Level(make_boxes(context, cells, box), cells),
          left_(multigrid::make_field(grid(), "left", 0)),
          correction_(multigrid::make_field(grid(), "correction", 0)) {}

    const halo::Field &left() const { return left_; }
    const halo::Field &correction() const { return correction_; }

    void find_left() {
        fill_ghosts();
        for_each_cell(
            [&](const halo_part &part, std::int64_t i, std::int64_t j, double, double) { halo::view(left_, part.gid)(i, j) = residual(part, i, j); });
    }
    void clear() {
        for_each_cell([&](const halo_part &part, std::int64_t i, std::int64_t j, double, double) { u(part)(i, j) = 0; });
    }
    void correct() {
        for_each_cell(
            [&](const halo_part &part, std::int64_t i, std::int64_t j, double, double) { u(part)(i, j) += halo::view(correction_, part.gid)(i, j); });
    }

private:
    halo::Field left_, correction_;
};

halo::Exchange between(const halo::Field &coarse, const halo::Field &fine, std::int32_t what) {
    halo_field *const coarse_fields[] = { coarse }, *const fine_fields[] = { fine };
    halo_levels_desc desc = HALO_LEVELS_DESC_INIT;
    desc.what = what;
    return halo::levels_exchange(coarse_fields, fine_fields, desc);
}

/// From a level to the next coarser one and back.
class Between {
public:
    Between(const BoxLevel &coarse, const BoxLevel &fine)
        : coarse_(coarse),
          fine_(fine),
          down_(between(coarse.f(), fine.left(), HALO_LEVELS_AVERAGE)),
          up_(between(coarse.u(), fine.correction(), HALO_LEVELS_WHOLE)) {}

    /// Means of what is left on the finer level become the coarser one's problem.
    void go_down() {
        down_.start();
        down_.finish();
    }
    /// The coarser level's solution, made finer with limited slopes, is the finer one's correction. Slopes at walls read across them.
    void go_up() {
        up_.start();
        while (!up_.test()) std::this_thread::yield();
        up_.unpack();
        for (const halo_part &part : fine_.parts()) fill_walls(part);
        up_.refine();
    }

private:
    void fill_walls(const halo_part &part) const {
        // The coarser field is the exchange's first, the finer one the next.
        const halo::CoarseCells<double> beside = halo::coarse_cells(up_, 1, part.gid);
        const halo::View<> cells(beside.data, beside.layout);
        for (const halo_boundary &boundary : beside.boundaries)
            halo::for_each(boundary.ghosts, [&](std::int64_t i, std::int64_t j, std::int64_t) {
                const std::int64_t x = mirrored(part.cells.low[0] / 2 + i), y = mirrored(part.cells.low[1] / 2 + j);
                const bool is_corner = x != part.cells.low[0] / 2 + i && y != part.cells.low[1] / 2 + j;
                cells(i, j) = (is_corner ? 1 : -1) * cells(x - part.cells.low[0] / 2, y - part.cells.low[1] / 2);
            });
    }
    /// Of the coarser level's cells: the one in the square that lies as far from the border.
    std::int64_t mirrored(std::int64_t cell) const {
        const std::int64_t n = coarse_.cells();
        return cell < 0 ? -1 - cell : cell >= n ? 2 * n - 1 - cell : cell;
    }

    const BoxLevel &coarse_, &fine_;
    halo::Exchange down_, up_;
};

/// Levels of half the cells each, down to two along each direction.
class Multigrid {
public:
    Multigrid(const halo::Context &context, const Options &options) {
        for (int cells = options.cells; cells >= 2; cells /= 2) {
            levels_.push_back(std::make_unique<BoxLevel>(context, cells, options.box));
            if (cells % 2 != 0) break;
        }
        for (std::size_t i = 1; i < levels_.size(); ++i) steps_.push_back(std::make_unique<Between>(*levels_[i], *levels_[i - 1]));
    }
    BoxLevel &finest() { return *levels_[0]; }
    std::size_t n_levels() const { return levels_.size(); }
    void cycle(std::size_t level = 0) {
        BoxLevel &here = *levels_[level];
        if (level + 1 == levels_.size()) return here.smooth(20);
        here.smooth(2);
        here.find_left();
        steps_[level]->go_down();
        levels_[level + 1]->clear();
        cycle(level + 1);
        steps_[level]->go_up();
        here.correct();
        here.smooth(2);
    }

private:
    std::vector<std::unique_ptr<BoxLevel>> levels_;
    std::vector<std::unique_ptr<Between>> steps_;
};

bool run(const halo::Context &context, const Options &options) {
    Multigrid cycles(context, options);
    BoxLevel &finest = cycles.finest();
    const bool speaks = context.rank() == 0;
    multigrid::set_problem(finest);
    const double first = multigrid::greatest_residual(context, finest);
    double before = first;
    for (int cycle = 1; cycle <= options.cycles; ++cycle) {
        cycles.cycle();
        const double now = multigrid::greatest_residual(context, finest);
        if (speaks) std::printf("cycle %d: greatest residual %.3e, %.3f of that before\n", cycle, now, now / before);
        before = now;
    }
    const auto [error, digest] = multigrid::result_of(context, finest);
    const double second_order = 4.0 * finest.width() * finest.width(), wanted = std::pow(0.25, options.cycles);
    const bool passed = before < wanted * first && error < second_order;
    if (speaks) {
        std::printf("%zu levels, %d x %d cells: residual %.3e of the first, wanted %.3e, greatest error %.3e, second order allows %.3e: %s\n",
                    cycles.n_levels(), options.cells, options.cells, before / first, wanted, error, second_order, passed ? "pass" : "FAIL");
        std::printf("  result: residual %.17g, digest %016llx\n", before, static_cast<unsigned long long>(digest));
    }
    return passed;
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app("Poisson's equation by multigrid over levels of boxes", "multigrid_boxes");
    Options options;
    app.add_option("--cells", options.cells, "of the square along x and y, on the finest level")->check(CLI::Range(2, 16384))->capture_default_str();
    app.add_option("--box", options.box, "cells of a box along x and y, an even number")->check(CLI::Range(2, 4096))->capture_default_str();
    app.add_option("--cycles", options.cycles, "V-cycles")->check(CLI::PositiveNumber)->capture_default_str();
    return ranks::run_program(app, argc, argv, [&](const halo::Context &context) { return run(context, options); });
}
