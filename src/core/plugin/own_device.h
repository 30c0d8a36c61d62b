// SPDX-License-Identifier: BSD-3-Clause
// Which of the devices of a host is a rank's own: where the library chooses, ranks of one host take turns.
#pragma once

#include <cstdint>
#include <string>

#include "base/config.h"
#include "halo_plugin.h"

namespace halo {

// Number of a rank among those of its host, and who says so.
struct LocalRank {
    int32_t number = -1; // not known
    std::string source;
};

// As the launcher of this process tells.
LocalRank local_rank_by_launcher();

struct OwnDevice {
    int32_t ordinal = 0;
    int32_t n = 0; // of this module; 0: it does not tell
    std::string why;
    bool is_guess = false; // others of this host may take it too

    // "device cuda 1 of 4: local rank 5 (OMPI_COMM_WORLD_LOCAL_RANK)"
    std::string text(const char *module) const;
};

// That of the setting device.ordinal, else by the local rank. HALO_ERR_DEVICE: the setting names one that is not there.
OwnDevice choose_own_device(const halo_device_plugin &plugin, const Config &config, const halo_host &host, const LocalRank &local);

} // namespace halo
