// SPDX-License-Identifier: BSD-3-Clause
// Memory fails once, at every point at which the library asks for it: the call says so, nothing hangs or is lost, and everything can be used after.
// With nothing on a device: when its events fire decides how often the library asks there, so that there is no n-th time. Memory of devices, and
// pinned memory, fails on order in tests/device (exchange_errors.cpp, channels.cpp, groups.cpp). usage: halo_allocations [part of a name]...;
// ALLOCATIONS_STRIDE=n tries every n-th allocation alone, ALLOCATIONS_RANKS=n those with n ranks; ALLOCATIONS_LASTING=1: memory fails until the call
// has ended.
#include <cstdio>
#include <string>

#include "allocation_scenarios.h"

int main(int argc, char **argv) {
    using namespace allocations;
    Sweep which;
    which.stride = conformance::number_from("ALLOCATIONS_STRIDE", 1);
    which.first = conformance::number_from("ALLOCATIONS_FIRST", 1);
    const int64_t least = conformance::number_from("ALLOCATIONS_LEAST", 0);
    std::vector<Scenario> all;
    for (auto *list : { cell_scenarios, point_scenarios, mesh_scenarios, sphere_scenarios, particle_scenarios, channel_scenarios, with_all_scenarios,
                        other_scenarios })
        for (Scenario &one : list()) all.push_back(std::move(one));
    bool well = true;
    for (const Scenario &scenario : all) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; ++i) wanted = wanted || scenario.name.find(argv[i]) != std::string::npos;
        if (const int64_t n_ranks = conformance::number_from("ALLOCATIONS_RANKS", 0); n_ranks > 0) wanted = wanted && n_ranks == scenario.n_ranks;
        if (wanted) well = sweep(scenario, which) && well;
    }
    const int64_t n = print_points();
    if (n < least) std::printf("that is fewer than %lld\n", static_cast<long long>(least));
    return well && n >= least ? 0 : 1;
}
