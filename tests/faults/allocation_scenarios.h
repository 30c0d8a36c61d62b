// SPDX-License-Identifier: BSD-3-Clause
// Passes through the public functions, for ranks of which one runs out of memory.
#pragma once

#include <functional>
#include <vector>

#include "allocation_ranks.h"

namespace allocations {

std::vector<Scenario> cell_scenarios();     // blocks, boxes, regions, transfers
std::vector<Scenario> point_scenarios();    // keys, graphs, stars, lists
std::vector<Scenario> mesh_scenarios();     // meshes made local
std::vector<Scenario> sphere_scenarios();   // grids on the sphere
std::vector<Scenario> particle_scenarios(); // that migrate
std::vector<Scenario> channel_scenarios();  // channels by hand, and their groups
std::vector<Scenario> with_all_scenarios(); // contexts that go with all that was made from them
std::vector<Scenario> other_scenarios();    // contexts, texts, collectives, batches, reductions, stencils

void stencils(Member &member);

// An exchange over fields of doubles, whose values are kept after each of some runs.
struct Trial {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    bool phases = false;
    bool prepares = false;
    bool tells = false;      // statistics and texts
    bool one_by_one = false; // from the third run on ranks finish one after the other, a different one first each time
    int n_runs = 2;
};
void try_exchange(Member &member, const std::vector<halo_field *> &fields, const std::vector<halo_topology *> &topologies, const Trial &trial);
// `trial.n_runs` runs, each after `refill`, which is given its number, and before `look`.
void run_exchange(Member &member, halo_exchange *exchange, const Trial &trial, const std::function<void(int)> &refill,
                  const std::function<void()> &look);
void tell(Member &member, halo_exchange *exchange);
halo_field *make_field(Member &member, halo_topology *topology, const char *name, int32_t ghosts,
                       const std::function<void(halo_field_desc &)> &change);
void fill(Member &member, halo_field *field, halo_topology *topology, int time);
void keep_values(Member &member, halo_field *field, halo_topology *topology);

} // namespace allocations
