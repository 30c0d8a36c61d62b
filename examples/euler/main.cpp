// SPDX-License-Identifier: BSD-3-Clause
// Compressible gas with sparse tracers on libhalo. One program for every way to run it:
//   euler FILE...                       alone
//   mpirun -n 4 euler FILE...           with MPI, though nothing here links it
//   euler --inproc 4 FILE...            ranks as threads of one process
//   HALO_DEVICE=opencl euler FILE...    on a device, in any of these
// FILE is a parameter file; `key=value` arguments override keys of every file; `--results out.json` writes the outcome, for draw.py.
#include "ranks.h"
#include "results_file.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Arguments {
    int inproc = 0;
    std::string results;
    std::vector<std::string> files, overrides;
};

Arguments parse(int argc, char **argv) {
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string text = argv[i];
        const bool has_value = i + 1 < argc;
        if (text == "--inproc" && has_value)
            arguments.inproc = std::stoi(argv[++i]);
        else if (text == "--results" && has_value)
            arguments.results = argv[++i];
        else if (text.find('=') != std::string::npos)
            arguments.overrides.push_back(text);
        else if (text.starts_with("-"))
            throw std::runtime_error("unknown argument '" + text + "'");
        else
            arguments.files.push_back(text);
    }
    if (arguments.files.empty()) throw std::runtime_error("usage: euler [--inproc RANKS] [--results FILE.json] PARAMETERS... [key=value...]");
    return arguments;
}

/// The error of a shock tube falls with the cell size: about in proportion, since the solution jumps.
bool check_convergence(const std::vector<euler::Outcome> &outcomes, bool speak) {
    const euler::Outcome *coarse = nullptr;
    bool passed = true;
    for (const auto &fine : outcomes) {
        if (fine.parameters.problem != "sod") continue;
        if (coarse && fine.profile.size() > coarse->profile.size()) {
            const double refined = static_cast<double>(fine.profile.size()) / static_cast<double>(coarse->profile.size());
            const double order = std::log(coarse->density_error / fine.density_error) / std::log(refined);
            passed = passed && order > 0.7;
            if (speak)
                std::printf("sod: from %zu to %zu cells the error falls with order %.2f   %s\n", coarse->profile.size(), fine.profile.size(), order,
                            order > 0.7 ? "pass" : "FAIL");
        }
        coarse = &fine;
    }
    return passed;
}

/// What one rank does.
bool run_all(const halo::Context &context, const device::Device &device, const Arguments &arguments, const std::vector<euler::Parameters> &problems) {
    std::vector<euler::Outcome> outcomes;
    bool passed = true;
    for (const auto &problem : problems) {
        outcomes.push_back(euler::run(context, device, problem));
        passed = passed && outcomes.back().passed;
    }
    const bool speak = context.rank() == 0;
    passed = check_convergence(outcomes, speak) && passed;
    if (speak && !arguments.results.empty()) euler::write_results(outcomes, arguments.results);
    return passed;
}

} // namespace

int main(int argc, char **argv) {
    try {
        const auto arguments = parse(argc, argv);
        std::vector<euler::Parameters> problems;
        for (const auto &file : arguments.files) problems.push_back(euler::read_parameters(file, arguments.overrides));
        const device::Device device;
        const bool passed = ranks::run(
            "euler", arguments.inproc, [&](const halo::Context &context) { return run_all(context, device, arguments, problems); }, device.options());
        return passed ? EXIT_SUCCESS : EXIT_FAILURE;
    } catch (const device::NotThere &missing) {
        std::fprintf(stderr, "euler: %s\n", missing.what());
        return device::NotThere::exit_code;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "euler: %s\n", failure.what());
        return EXIT_FAILURE;
    }
}
