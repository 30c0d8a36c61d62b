// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of halo_bench.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cartesian_work.h"
#include "report.h"
#include "session.h"
#include "work.h"

namespace bench {

struct Options {
    int pairs = 31;
    int repetitions = 0; // per turn; 0: by the size of the work
    bool counts = false; // verify and count, measure nothing
    uint64_t seed = 1;

    std::vector<WorkSize> works;
    std::vector<CartesianSize> cubes;
    std::string part = "both";      // all, remote, both
    std::string levels = "all";     // or what of them
    std::string storage = "shared"; // see Session::storage
    bool only_expert = false;
    int64_t bytes_from = 8, bytes_to = 65536;
    int64_t channels = 1000000;
    int64_t side = 55;        // of a mesh
    int64_t points = 1000000; // of a rank of a graph, or of its elements; particles of a rank
    std::string device = "opencl";
    int32_t threads = 1; // ranks of this process
};

std::vector<WorkSize> suite();
std::vector<WorkSize> device_suite();
std::vector<CartesianSize> cartesian_suite();

// Ghosts of the work W: libhalo against the hand-written contenders, or against PetscSF.
void run_blocks(const Session &session, const Options &options, Report &report);
void run_petsc(const Session &session, const Options &options, Report &report);

// The same ghosts as libhalo moves them by itself, against each way that a setting can force.
void run_choices(const Session &session, const Options &options, Report &report);

// Ghosts of one cube per rank, as Cartesian codes have them: libhalo against what they do by hand.
void run_cartesian(const Session &session, const Options &options, Report &report);

// One channel by hand against the raw transport, and 26 channels in one message against one channel; ranks 0 and 1.
void run_ping_pong(const Session &session, const Options &options, Report &report);

// Small messages in both directions at once; ranks 0 and 1.
void run_rate(const Session &session, const Options &options, Report &report);

// Ghosts of a few points between ranks 0 and 1, against what one would write by hand.
void run_small(const Session &session, const Options &options, Report &report);

// What the settings threads and progress_thread cost, and how much of a message's time computing hides between two ranks.
void run_progress(const Session &session, const Options &options, Report &report);

// Batches of accesses, found again among many.
void run_loops(const Session &session, const Options &options, Report &report);

// A mesh made local, against topologies from keys.
void run_mesh(const Session &session, const Options &options, Report &report);

// Ghosts found from tables of neighbours, against the same ghosts by key.
void run_graph(const Session &session, const Options &options, Report &report);

// Sums over all copies of a point, many of them on one rank, against a sum by hand and one value between ranks.
void run_gather(const Session &session, const Options &options, Report &report);

// Particles that go to other ranks' blocks, against MPI_Alltoallv by hand.
void run_particles(const Session &session, const Options &options, Report &report);

// Ghosts between blocks of three levels, against blocks of one; ghosts made by hand; making forests.
void run_levels(const Session &session, const Options &options, Report &report);
// The parts of it that are about points, operators of boxes, other lists of blocks, and sparse fields.
void run_level_points(const Session &session, const Options &options, Report &report);
void run_level_operators(const Session &session, const Options &options, Report &report);
void run_remesh(const Session &session, const Options &options, Report &report);
void run_sparse_levels(const Session &session, const Options &options, Report &report);

// Packing, unpacking and copies of a device, all in one launch, against a launch for each buffer, fused loops and kernels by hand; whole exchanges.
void run_devices(const Session &session, const Options &options, Report &report);

// What it costs to make things: exchanges of the works, and many channels by hand.
void run_setup(const Session &session, const Options &options, Report &report);
// The part of it that is about boxes: the first fill, a second field, memory.
void run_setup_of_boxes(const Session &session, const Options &options, Report &report);

} // namespace bench
