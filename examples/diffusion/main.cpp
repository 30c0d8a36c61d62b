// SPDX-License-Identifier: BSD-3-Clause
// Diffusion along the levels and advection across them, the classic steps of a weather model's dynamics, with ghosts and exchanges that the stencil
// analysis finds. One program for every way to run it:
//   diffusion                           alone
//   mpirun -n 4 diffusion               with MPI, though nothing here links it
//   diffusion --inproc 4                ranks as threads of one process
//   HALO_DEVICE=opencl diffusion        on a device, in any of these
// More by `diffusion --help`.
#include "digest.h"
#include "on_device.h"
#include "run_program.h"
#include "serial.h"
#include "solver.h"

#include <chrono>
#include <cstdio>
#include <memory>

namespace {

struct Arguments {
    int n_steps = 20;
    diffusion::Grid grid;
};

struct Cost {
    double seconds = 0;
    std::int64_t messages = 0, bytes = 0; // of values, of all ranks
};

Cost take_steps(const halo::Context &context, diffusion::Solver &solver, int n_steps) {
    context.barrier();
    const auto begin = std::chrono::steady_clock::now();
    for (int step = 0; step < n_steps; ++step) solver.step();
    solver.wait();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    std::int64_t counts[] = { 0, 0 };
    for (const halo_exchange_stats &stats : solver.stats()) {
        counts[0] += stats.messages_sent;
        counts[1] += stats.payload_bytes;
    }
    context.allreduce(std::span<std::int64_t>(counts), HALO_SUM);
    return { context.allreduce(took.count(), HALO_MAX), counts[0], counts[1] };
}

/// Cells of this rank that differ from those of the whole grid.
std::int64_t count_wrong(const diffusion::Grid &grid, const diffusion::Solver &solver, const std::vector<double> &right) {
    std::int64_t wrong = 0;
    for (const diffusion::Block &block : solver.blocks())
        for (std::int64_t z = 0; z < diffusion::n_levels; ++z)
            for (std::int64_t y = 0; y < grid.n_cells[1]; ++y)
                for (std::int64_t x = 0; x < grid.n_cells[0]; ++x) {
                    const std::int64_t at = (z * grid.cells(1) + block.y + y) * grid.cells(0) + block.x + x;
                    wrong += block.fields[diffusion::u](x, y, z) != right[static_cast<std::size_t>(at)];
                }
    return wrong;
}

std::uint64_t digest(const halo::Context &context, const diffusion::Grid &grid, const diffusion::Solver &solver) {
    ranks::Digest digest;
    for (const diffusion::Block &block : solver.blocks())
        for (std::int64_t z = 0; z < diffusion::n_levels; ++z)
            for (std::int64_t y = 0; y < grid.n_cells[1]; ++y)
                for (std::int64_t x = 0; x < grid.n_cells[0]; ++x)
                    digest.add(static_cast<std::uint64_t>((z * grid.cells(1) + block.y + y) * grid.cells(0) + block.x + x),
                               block.fields[diffusion::u](x, y, z));
    return digest.value(context);
}

void print_costs(int n_steps, const Cost &planned, const Cost &plain, const char *device) {
    const auto print = [&](const char *what, const Cost &cost) {
        std::printf("%-44s %8.3f s, %6lld messages, %10lld bytes of values\n", what, cost.seconds, static_cast<long long>(cost.messages),
                    static_cast<long long>(cost.bytes));
    };
    std::printf("%d steps on all ranks%s%s\n", n_steps, device ? ", those of the analysis on device " : "", device ? device : "");
    print("  as the analysis found", planned);
    print("  all ghosts of all that a stage reads around", plain);
    if (planned.messages == 0) return;
    std::printf("  times less: %.2f seconds, %.2f messages, %.2f bytes\n", plain.seconds / planned.seconds,
                static_cast<double>(plain.messages) / static_cast<double>(planned.messages),
                static_cast<double>(plain.bytes) / static_cast<double>(planned.bytes));
}

std::unique_ptr<diffusion::Planned> make_planned(const halo::Context &context, const diffusion::Grid &grid, device::Queue *queue) {
    std::unique_ptr<diffusion::Planned> solver;
    if (queue != nullptr)
        solver = std::make_unique<diffusion::OnDevice>(context, grid, *queue);
    else
        solver = std::make_unique<diffusion::Planned>(context, grid);
    solver->begin();
    return solver;
}

/// What one rank does.
bool run_all(const halo::Context &context, const Arguments &arguments, const device::Device &device) {
    const auto queue = device.make_queue(context);
    const auto planned = make_planned(context, arguments.grid, queue.get());
    const auto plain = make_plain(context, arguments.grid);
    const Cost cost = take_steps(context, *planned, arguments.n_steps), plain_cost = take_steps(context, *plain, arguments.n_steps);
    const auto right = diffusion::run_serially(arguments.grid, arguments.n_steps);
    const auto wrong = context.allreduce(count_wrong(arguments.grid, *planned, right), HALO_SUM);
    const auto plain_wrong = context.allreduce(count_wrong(arguments.grid, *plain, right), HALO_SUM);
    const auto bits = digest(context, arguments.grid, *planned);
    const bool less = cost.messages == 0 || plain_cost.bytes > 3 * cost.bytes / 2;
    if (context.rank() == 0) {
        std::printf("%s", diffusion::describe_step(arguments.grid.n_cells[0], arguments.grid.n_cells[1]).describe().c_str());
        print_costs(arguments.n_steps, cost, plain_cost, queue ? context.setting("device").first : nullptr);
        std::printf("half as many bytes again without the analysis   %s\n", less ? "pass" : "FAIL");
        std::printf("cells that differ from a serial run: %lld, and %lld   %s\n", static_cast<long long>(wrong), static_cast<long long>(plain_wrong),
                    wrong + plain_wrong == 0 ? "pass" : "FAIL");
        std::printf("  result: u %016llx\n", static_cast<unsigned long long>(bits));
    }
    return wrong + plain_wrong == 0 && less;
}

} // namespace

int main(int argc, char **argv) {
    Arguments arguments;
    CLI::App options("Diffusion along 80 levels and advection across them", "diffusion");
    options.add_option("--steps", arguments.n_steps, "of time")->check(CLI::PositiveNumber)->capture_default_str();
    options.add_option("--blocks", arguments.grid.n_blocks, "of the grid, along x and y")->check(CLI::PositiveNumber)->capture_default_str();
    options.add_option("--cells", arguments.grid.n_cells, "of a block, along x and y")->check(CLI::PositiveNumber)->capture_default_str();
    return device::run_program(options, argc, argv,
                               [&](const halo::Context &context, const device::Device &device) { return run_all(context, arguments, device); });
}
