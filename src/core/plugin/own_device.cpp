// SPDX-License-Identifier: BSD-3-Clause
#include "plugin/own_device.h"

#include <algorithm>

#include "base/error.h"
#include "plugin/mpi_choice.h"
#include "plugin/registry.h"

namespace halo {

namespace {

// halo_launch, Open MPI, MPICH and what speaks like it, Slurm, PALS, Flux.
constexpr const char *variables[] = { "HALO_LAUNCH_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                      "SLURM_LOCALID",          "PALS_LOCAL_RANKID",          "FLUX_TASK_LOCAL_ID" };

int32_t n_devices(const halo_device_plugin &plugin, const halo_host &host) {
    const bool tells = has_member(plugin, &halo_device_plugin::count) && plugin.count != nullptr;
    return tells ? std::max(plugin.count(&host), 0) : 0;
}

} // namespace

LocalRank local_rank_by_launcher() {
    for (const char *variable : variables)
        if (const int32_t number = number_in(variable); number >= 0) return { number, variable };
    return {};
}

OwnDevice choose_own_device(const halo_device_plugin &plugin, const Config &config, const halo_host &host, const LocalRank &local) {
    OwnDevice own;
    own.n = n_devices(plugin, host);
    const int64_t asked = config.integer("device.ordinal");
    if (asked >= 0) {
        if (own.n > 0 && asked >= own.n)
            fail(HALO_ERR_DEVICE, "setting device.ordinal = %lld from %s: there are %d devices of '%s', from 0 on", static_cast<long long>(asked),
                 config.source("device.ordinal")->c_str(), own.n, plugin.name);
        own.ordinal = static_cast<int32_t>(asked);
        own.why = "setting device.ordinal from " + *config.source("device.ordinal");
    } else if (own.n > 1 && local.number >= 0) {
        own.ordinal = local.number % own.n;
        own.why = format("local rank %d (%s)", local.number, local.source.c_str());
    } else {
        own.is_guess = own.n > 1;
        own.why = own.n == 1 ? "the only one" : own.n > 1 ? "the local rank is not known" : "the module does not tell how many there are";
    }
    return own;
}

std::string OwnDevice::text(const char *module) const {
    const std::string of = n > 0 ? format(" of %d", n) : std::string();
    return format("device %s %d%s: %s", module, ordinal, of.c_str(), why.c_str());
}

} // namespace halo
