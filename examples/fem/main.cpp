// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation by linear finite elements on meshes that fem_mesh has made. One program for every way to run it:
//   fem MESH...                       alone, on MESH.0of1.msh
//   mpirun -n 4 fem MESH...           with MPI, though nothing here links it: rank r reads MESH.<r>of4.msh
//   fem --inproc 4 MESH...            ranks as threads of one process
// `--sums by-rank` sums each rank by itself (faster; the same bits from run to run only); `--vtk PREFIX` writes the last solution, the
// first (PREFIX_first) and the errors of all (PREFIX.json), for draw.py.
#include "part_file.h"
#include "program.h"
#include "run.h"
#include "vtk_file.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Arguments {
    fem::Sum sum = fem::Sum::exact;
    std::string vtk;
    std::vector<std::string> meshes;
};

/// Linear elements: the error falls with the square of the tetrahedra's size. Meshes come from coarse to fine.
bool check_convergence(const std::vector<fem::Outcome> &outcomes, bool speak) {
    bool passed = true;
    for (std::size_t i = 1; i < outcomes.size(); ++i) {
        const auto &coarse = outcomes[i - 1], &fine = outcomes[i];
        const double refined = std::cbrt(static_cast<double>(fine.n_tetrahedra) / static_cast<double>(coarse.n_tetrahedra));
        const double order = std::log(coarse.error / fine.error) / std::log(refined);
        const bool second = order > 1.8 && order < 2.3;
        passed = passed && second;
        if (speak)
            std::printf("from %lld to %lld nodes the error falls with order %.2f   %s\n", static_cast<long long>(coarse.n_nodes),
                        static_cast<long long>(fine.n_nodes), order, second ? "pass" : "FAIL");
    }
    return passed;
}

void write_errors(const std::vector<fem::Outcome> &outcomes, const std::string &file) {
    std::ofstream out(file);
    out << '[';
    for (const auto &outcome : outcomes)
        out << (&outcome == &outcomes.front() ? "\n" : ",\n") << "{ \"nodes\": " << outcome.n_nodes << ", \"tetrahedra\": " << outcome.n_tetrahedra
            << ", \"error\": " << outcome.error << " }";
    out << "\n]\n";
    if (!out.flush()) throw std::runtime_error(file + ": cannot be written");
}

/// What one rank does.
bool run_all(const halo::Context &context, const Arguments &arguments) {
    std::vector<std::unique_ptr<fem::Space>> spaces;
    std::vector<fem::Outcome> outcomes;
    bool passed = true;
    for (const auto &mesh : arguments.meshes) {
        spaces.push_back(std::make_unique<fem::Space>(context, fem::read_part(fem::part_file(mesh, context.rank(), context.n_ranks()))));
        outcomes.push_back(fem::run(context, *spaces.back(), std::filesystem::path(mesh).filename().string(), arguments.sum));
        passed = passed && outcomes.back().passed;
    }
    passed = check_convergence(outcomes, context.rank() == 0) && passed;
    if (!arguments.vtk.empty()) {
        fem::write_vtk(context, *spaces.front(), outcomes.front().solution, arguments.vtk + "_first");
        fem::write_vtk(context, *spaces.back(), outcomes.back().solution, arguments.vtk);
        if (context.rank() == 0) write_errors(outcomes, arguments.vtk + ".json");
    }
    return passed;
}

} // namespace

int main(int argc, char **argv) {
    Arguments arguments;
    const std::map<std::string, fem::Sum> sums{ { "exact", fem::Sum::exact }, { "by-rank", fem::Sum::by_rank } };
    CLI::App options("Poisson's equation by linear finite elements", "fem");
    options.add_option("--sums", arguments.sum, "exact, or by-rank: faster, the same bits from run to run only")
        ->transform(CLI::CheckedTransformer(sums));
    options.add_option("--vtk", arguments.vtk, "prefix of files for draw.py: the last solution, the first, the errors of all");
    options.add_option("MESH", arguments.meshes, "as fem_mesh writes them, from coarse to fine")->required();
    return ranks::run_program(options, argc, argv, [&](const halo::Context &context) { return run_all(context, arguments); });
}
