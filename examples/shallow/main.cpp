// SPDX-License-Identifier: BSD-3-Clause
// Shallow water on an icosahedral grid. One program for every way to run it:
//   shallow 16 32 64                    alone: a steady flow on three grids, of 10 n^2 + 2 cells; its error must fall with their spacing
//   mpirun -n 4 shallow 16 32 64        with MPI, though nothing here links it
//   shallow --inproc 4 16 32 64         ranks as threads of one process
//   HALO_DEVICE=opencl shallow 16 32    on a device, in any of these
// More by `shallow --help`.
#include "run.h"
#include "run_program.h"

#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

namespace {

struct Arguments {
    shallow::Flow flow = shallow::Flow::steady;
    double days = 1;
    std::string picture;
    std::vector<std::int64_t> squares;
};

/// Linear in each cell: second order. Here it falls faster still, as most of the error is what the fluxes dampen.
bool check_convergence(const std::vector<shallow::Outcome> &outcomes, bool speak) {
    bool passed = true;
    for (std::size_t i = 1; i < outcomes.size(); ++i) {
        const auto &coarse = outcomes[i - 1], &fine = outcomes[i];
        const double refined = std::sqrt(static_cast<double>(fine.n_cells) / static_cast<double>(coarse.n_cells));
        const double order = std::log(coarse.error / fine.error) / std::log(refined);
        const bool second = order > 1.8 && order < 3;
        passed = passed && second;
        if (speak)
            std::printf("from %lld to %lld cells the error falls with order %.2f   %s\n", static_cast<long long>(coarse.n_cells),
                        static_cast<long long>(fine.n_cells), order, second ? "pass" : "FAIL");
    }
    return passed;
}

/// Every side takes from one cell what it gives the other: only rounding changes the mass.
bool check_mass(const std::vector<shallow::Outcome> &outcomes) {
    bool passed = true;
    for (const auto &outcome : outcomes) passed = passed && std::fabs(outcome.mass_change) < 1e-13;
    return passed;
}

/// What one rank does.
bool run_all(const halo::Context &context, const Arguments &arguments, const device::Device &device) {
    const bool speak = context.rank() == 0;
    const auto queue = device.make_queue(context);
    std::vector<shallow::Outcome> outcomes;
    for (const std::int64_t n : arguments.squares)
        outcomes.push_back(
            shallow::run(context, queue.get(), arguments.flow, n, arguments.days, n == arguments.squares.back() ? arguments.picture : ""));
    bool passed = check_mass(outcomes);
    if (speak) std::printf("the mass stays   %s\n", passed ? "pass" : "FAIL");
    if (arguments.flow == shallow::Flow::steady) passed = check_convergence(outcomes, speak) && passed;
    return passed;
}

} // namespace

int main(int argc, char **argv) {
    Arguments arguments;
    const std::map<std::string, shallow::Flow> flows{ { "steady", shallow::Flow::steady }, { "wave", shallow::Flow::wave } };
    CLI::App options("Shallow water on an icosahedral grid", "shallow");
    options.add_option("--flow", arguments.flow, "steady, or wave")->transform(CLI::CheckedTransformer(flows));
    options.add_option("--days", arguments.days, "of the flow")->check(CLI::PositiveNumber)->capture_default_str();
    options.add_option("--picture", arguments.picture, "prefix of files for draw.py: the cells of the last grid");
    options.add_option("SQUARES", arguments.squares, "n: a grid of 10 n^2 + 2 cells; from coarse to fine")->required()->check(CLI::PositiveNumber);
    return device::run_program(options, argc, argv,
                               [&](const halo::Context &context, const device::Device &device) { return run_all(context, arguments, device); });
}
