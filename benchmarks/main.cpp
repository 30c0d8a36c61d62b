// SPDX-License-Identifier: BSD-3-Clause
// halo_bench: measures libhalo against what one would write by hand, in the same run. Works alone and under the launchers of MPI.
#include <cstdio>
#include <exception>
#include <functional>

#include <CLI/CLI.hpp>

#include "benchmarks.h"

namespace {

using namespace bench;

struct CommandLine {
    Options options;
    WorkSize work;
    CartesianSize cube;
    bool suite = false, json = false, csv = false, free_ranks = false;
    std::string mpi = "auto";
    std::function<void(const Session &, const Options &, Report &)> run;
};

void add_storage_option(CLI::App *command, CommandLine &line) {
    command->add_option("--storage", line.options.storage, "of all contenders: shared, by halo_memory_allocate, or own, by the C library")
        ->check(CLI::IsMember({ "shared", "own" }))
        ->capture_default_str();
}

void add_work_options(CLI::App *command, CommandLine &line) {
    command->add_flag("--suite", line.suite, "the cases of the project's figures");
    command->add_option("--cells", line.work.cells, "cells per direction of the cube")->capture_default_str();
    command->add_option("--block", line.work.block, "cells per direction of a block")->capture_default_str();
    command->add_option("--components", line.work.components, "values per cell")->capture_default_str();
    command->add_option("--ghost", line.work.ghost, "ghost layers")->capture_default_str();
    command->add_option("--repetitions", line.options.repetitions, "exchanges per turn; 0: 12, or 3 for cubes of more than 64 cells")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
}

void add_cartesian_options(CLI::App *command, CommandLine &line) {
    add_storage_option(command, line);
    command->add_flag("--suite", line.suite, "the two cases of the project's figures");
    command->add_option("--cells", line.cube.cells, "cells per direction of a rank's cube")->capture_default_str()->check(CLI::Range(1, 1000));
    command->add_option("--ghost", line.cube.ghost, "ghost layers")->capture_default_str();
    command->add_option("--fields", line.cube.fields, "fields, each with its own storage")->capture_default_str();
    command->add_option("--repetitions", line.options.repetitions, "exchanges per turn; 0: 5")->capture_default_str()->check(CLI::NonNegativeNumber);
    command->add_flag("--counts", line.options.counts, "verify and count, measure nothing: for more ranks than cores");
}

CLI::App *add_command(CLI::App &app, CommandLine &line, const char *name, const char *what, void (*run)(const Session &, const Options &, Report &)) {
    CLI::App *command = app.add_subcommand(name, what);
    command->callback([&line, run] { line.run = run; });
    return command;
}

void add_devices(CLI::App &app, CommandLine &line) {
    CLI::App *devices =
        add_command(app, line, "devices",
                    "one launch of a device for all buffers, against a launch for each, fused loops and kernels by hand; whole exchanges; of "
                    "several ranks these alone",
                    run_devices);
    devices->callback([&line] {
        line.run = run_devices;
        if (line.suite) line.options.works = device_suite();
    });
    add_work_options(devices, line);
    devices->add_option("--device", line.options.device, "the module of libhalo: opencl, cuda or hip")->capture_default_str();
    devices->add_option("--points", line.options.points, "of each rank, whose ghosts are listed; 0: none")
        ->capture_default_str()
        ->check(CLI::Range(0, 100000000));
    devices->add_option("--threads", line.options.threads, "ranks that are threads of one process, all on the first device")
        ->capture_default_str()
        ->check(CLI::Range(1, 64));
}

void add_commands(CLI::App &app, CommandLine &line) {
    CLI::App *blocks = add_command(app, line, "blocks", "ghosts of a periodic cube of blocks, against expert, per channel and datatypes", run_blocks);
    blocks->alias("W");
    add_storage_option(blocks, line);
    add_work_options(blocks, line);
    blocks->add_option("--part", line.options.part, "all ghosts, or the remote part alone: that between ranks")
        ->check(CLI::IsMember({ "all", "remote", "both" }))
        ->capture_default_str();
    blocks->add_flag("--only-expert", line.options.only_expert, "leave the other contenders out");
    blocks->add_flag("--counts", line.options.counts, "verify and count, measure nothing: for more ranks than cores");
    CLI::App *choices =
        add_command(app, line, "choices", "the same ghosts as settings leave them to libhalo, against each way that one can force", run_choices);
    add_work_options(choices, line);
    CLI::App *petsc = add_command(app, line, "petsc", "the same ghosts against PetscSF", run_petsc);
    add_storage_option(petsc, line);
    add_work_options(petsc, line);
    add_cartesian_options(
        add_command(app, line, "cartesian", "ghosts of one cube per rank, against 26 messages, sweeps and datatypes", run_cartesian), line);
    CLI::App *ping =
        add_command(app, line, "pingpong", "one channel by hand against the raw transport; 26 channels in a group; 2 ranks", run_ping_pong);
    ping->add_option("--from", line.options.bytes_from, "smallest message, bytes")->capture_default_str()->check(CLI::Range(8, 1 << 30));
    ping->add_option("--to", line.options.bytes_to, "largest message, bytes")->capture_default_str()->check(CLI::Range(8, 1 << 30));
    add_command(app, line, "rate", "rate of small messages; 2 ranks", run_rate);
    add_command(app, line, "small", "ghosts of a few points of one peer, against messages by hand; 2 ranks", run_small);
    add_command(app, line, "progress", "cost of threads and progress_thread; with 2 ranks, how much of a message computing hides", run_progress);
    add_command(app, line, "loops", "batches of accesses that need no exchange, found among many", run_loops);
    add_command(app, line, "mesh", "a mesh made local, against topologies from keys", run_mesh)
        ->add_option("--side", line.options.side, "cubes of six cells along each side of a rank's slab")
        ->capture_default_str()
        ->check(CLI::Range(1, 400));
    add_command(app, line, "graph", "ghosts found from tables of neighbours, against the same ghosts by key", run_graph)
        ->add_option("--points", line.options.points, "points of each rank, in rows of 1000")
        ->capture_default_str()
        ->check(CLI::Range(1000, 100000000));
    add_command(app, line, "gather", "sums over points that a rank has several times, against a local sum by hand", run_gather)
        ->add_option("--points", line.options.points, "points of each rank's elements, copies counted")
        ->capture_default_str()
        ->check(CLI::Range(2048, 100000000));
    add_command(app, line, "levels",
                "ghosts between blocks of three levels, remesh, sparse fields, against blocks of one, all from nothing, loops by hand", run_levels)
        ->add_option("--part", line.options.levels, "all, or one of them")
        ->check(CLI::IsMember({ "all", "ghosts", "operators", "remesh", "sparse", "setup" }))
        ->capture_default_str();
    add_command(app, line, "particles", "particles that go to the blocks of other ranks, against MPI_Alltoallv by hand", run_particles)
        ->add_option("--points", line.options.points, "particles of each rank")
        ->capture_default_str()
        ->check(CLI::Range(1, 100000000));
    add_devices(app, line);
    CLI::App *setup = add_command(app, line, "setup", "cost of making exchanges and many channels", run_setup);
    add_storage_option(setup, line);
    add_work_options(setup, line);
    setup->add_option("--channels", line.options.channels, "channels by hand")->capture_default_str()->check(CLI::Range(1, 100000000));
}

void run(CommandLine &line) {
    if (line.options.works.empty()) line.options.works = line.suite ? suite() : std::vector<WorkSize>{ line.work };
    line.options.cubes = line.suite ? cartesian_suite() : std::vector<CartesianSize>{ line.cube };
    const Session session(line.mpi, !line.free_ranks && line.options.threads == 1); // one core would be too few for threads
    Report report(line.json ? Style::json : line.csv ? Style::csv : Style::table, session.rank() == 0);
    report.condition("conditions", session.conditions());
    report.condition("libhalo",
                     std::to_string(HALO_VERSION_MAJOR) + "." + std::to_string(HALO_VERSION_MINOR) + "." + std::to_string(HALO_VERSION_PATCH));
    if (!line.options.counts)
        report.condition("method",
                         std::to_string(line.options.pairs) +
                             " alternating pairs (A B B A) where there are low and high, the 95 % interval of the median ratio; all values verified");
    line.run(session, line.options, report);
    report.end();
}

} // namespace

int main(int argc, char **argv) {
    CLI::App app{ "Measures libhalo against what one would write by hand, in the same run. Run it alone or under mpirun." };
    CommandLine line;
    app.require_subcommand(1);
    app.fallthrough();
    app.add_option("--pairs", line.options.pairs, "alternating pairs")->capture_default_str()->check(CLI::PositiveNumber);
    app.add_option("--seed", line.options.seed, "of the random order of channels")->capture_default_str();
    app.add_option("--mpi", line.mpi, "openmpi, mpich, none, or auto: the launcher's")
        ->check(CLI::IsMember({ "auto", "openmpi", "mpich", "none" }))
        ->capture_default_str();
    app.add_flag("--free", line.free_ranks, "do not pin the ranks to cores");
    app.add_flag("--json", line.json, "print JSON");
    app.add_flag("--csv", line.csv, "print comma-separated values")->excludes("--json");
    add_commands(app, line);
    CLI11_PARSE(app, argc, argv);
    try {
        run(line);
    } catch (const std::exception &error) {
        std::fprintf(stderr, "halo_bench: %s\n", error.what());
        return 1;
    }
    return 0;
}
