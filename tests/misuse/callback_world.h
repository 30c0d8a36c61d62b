// SPDX-License-Identifier: BSD-3-Clause
// All kinds of objects of one context, with every function of the program that the library calls back, and all calls that can be made on them there.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "halo_access.h"
#include "halo_channel.h"
#include "halo_levels.h"
#include "halo_mesh.h"
#include "halo_particles.h"
#include "halo_sphere.h"

namespace callbacks {

constexpr int64_t n_cells = 4;
constexpr int32_t n_blocks = 3;

// What a callback does to the world.
using Body = std::function<void()>;

// A ring of blocks: a sparse field without storage on block 1 and an exchange whose arrivals are told; a dense field that is summed by a function;
// one without storage; a finer level of one box; particles. A graph, a grid on the sphere, a mesh. A channel from this rank to itself, in a group,
// whose memory comes from an allocator, as does that of the context.
struct World {
    explicit World(halo_inproc *ranks = nullptr, int32_t rank = 0);
    ~World();
    World(const World &) = delete;
    World &operator=(const World &) = delete;

    void call(Body World::*body);
    const halo_channel_allocator &channel_memory() const { return channel_memory_; }
    double *data(halo_field *field, int64_t gid) const;
    // On one rank: data arrive in block 1, which gets storage in the callback.
    void run_arriving();
    // Each ghost's 1 is added to the cell that it is a ghost of.
    void run_summing();
    // By hand: allocated, sent, received, released.
    void run_channel();
    // A point whose neighbour is one of nobody's, as the function says.
    void make_graph();

    Body in_arrival, in_combine, in_allocate, in_channel, in_log, in_owner;
    int n_called = 0;
    halo_context *context = nullptr;
    halo_topology *ring = nullptr, *finer = nullptr, *graph = nullptr;
    halo_sphere *sphere = nullptr;
    halo_mesh *mesh = nullptr;
    halo_particles *particles = nullptr;
    halo_field *sparse = nullptr, *dense = nullptr, *spare = nullptr, *fine = nullptr;
    halo_exchange *arriving = nullptr, *summing = nullptr, *levels = nullptr, *transfer = nullptr; // from dense to fine, to spare
    halo_batch *batch = nullptr;
    halo_reduction *reduction = nullptr;
    halo_channel_key key{ 0, 0, 7, 0, 0 };
    halo_channel *channel = nullptr;
    halo_group *group = nullptr;

    // Where calls put what they give.
    struct Results {
        halo_topology *topology = nullptr;
        halo_sphere *sphere = nullptr;
        halo_mesh *mesh = nullptr;
        halo_particles *particles = nullptr;
        halo_field *field = nullptr;
        halo_exchange *exchange = nullptr;
        halo_channel *channel = nullptr;
        halo_group *group = nullptr;
        halo_batch *batch = nullptr;
        halo_reduction *reduction = nullptr;
        const halo_group_row *rows = nullptr;
        bool operator==(const Results &) const = default;
    } results;
    halo_channel *found = nullptr;
    void *pointer = nullptr;
    const void *list = nullptr, *other_list = nullptr;
    const char *text = nullptr;
    char buffer[4096];
    size_t needed = 0;
    int32_t number = 0;
    int64_t n = 0;
    double values[n_blocks * (n_cells + 2)] = {};

private:
    void make_context(halo_inproc *ranks, int32_t rank);
    void make_topologies();
    void make_fields();
    void make_exchanges();
    void make_channel(int32_t rank);

    halo_channel_allocator channel_memory_ = HALO_CHANNEL_ALLOCATOR_INIT;
};

struct Call {
    const char *name;
    halo_status (*call)(World &world);
};
// scripts/check_callbacks.py: every function whose handle is of a context's object is in one of these.
std::span<const Call> refused(); // everywhere
std::span<const Call> bound();   // but in arrivals
std::span<const Call> allowed(); // everywhere

} // namespace callbacks
