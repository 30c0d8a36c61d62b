// SPDX-License-Identifier: BSD-3-Clause
// Shallow water on an icosahedral grid. One program for every way to run it:
//   shallow 16 32 64                    alone: a steady flow on three grids, of 10 n^2 + 2 cells; its error must fall with their spacing
//   mpirun -n 4 shallow 16 32 64        with MPI, though nothing here links it
//   shallow --inproc 4 16 32 64         ranks as threads of one process
// `--flow wave` follows a Rossby-Haurwitz wave instead; `--days D` for so long (1); `--picture PREFIX` writes the cells of the last grid for draw.py.
#include "ranks.h"
#include "run.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Arguments {
    int inproc = 0;
    shallow::Flow flow = shallow::Flow::steady;
    double days = 1;
    std::string picture;
    std::vector<std::int64_t> squares;
};

shallow::Flow parse_flow(const std::string &text) {
    if (text == "steady") return shallow::Flow::steady;
    if (text == "wave") return shallow::Flow::wave;
    throw std::runtime_error("--flow is steady or wave, not '" + text + "'");
}

Arguments parse(int argc, char **argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string text = argv[i];
        const bool has_value = i + 1 < argc;
        if (text == "--inproc" && has_value)
            arguments.inproc = std::stoi(argv[++i]);
        else if (text == "--flow" && has_value)
            arguments.flow = parse_flow(argv[++i]);
        else if (text == "--days" && has_value)
            arguments.days = std::stod(argv[++i]);
        else if (text == "--picture" && has_value)
            arguments.picture = argv[++i];
        else if (text.starts_with("-"))
            throw std::runtime_error("unknown argument '" + text + "'");
        else
            arguments.squares.push_back(std::stoll(text));
    }
    if (arguments.squares.empty())
        throw std::runtime_error("usage: shallow [--inproc RANKS] [--flow steady|wave] [--days DAYS] [--picture PREFIX] SQUARES...");
    return arguments;
}

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
bool run_all(const halo::Context &context, const Arguments &arguments) {
    const bool speak = context.rank() == 0;
    std::vector<shallow::Outcome> outcomes;
    for (const std::int64_t n : arguments.squares)
        outcomes.push_back(shallow::run(context, arguments.flow, n, arguments.days, n == arguments.squares.back() ? arguments.picture : ""));
    bool passed = check_mass(outcomes);
    if (speak) std::printf("the mass stays   %s\n", passed ? "pass" : "FAIL");
    if (arguments.flow == shallow::Flow::steady) passed = check_convergence(outcomes, speak) && passed;
    return passed;
}

} // namespace

int main(int argc, char **argv) {
    try {
        const auto arguments = parse(argc, argv);
        const bool passed = ranks::run("shallow", arguments.inproc, [&](const halo::Context &context) { return run_all(context, arguments); });
        return passed ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "shallow: %s\n", failure.what());
        return EXIT_FAILURE;
    }
}
