// SPDX-License-Identifier: BSD-3-Clause
// Where memory is: what the host reaches, of whatever kind, or the own memory of one device.
#pragma once

#include <cstdint>

#include "halo.h"

namespace halo {

struct Space {
    int32_t memory = HALO_MEMORY_HOST; // or HALO_MEMORY_DEVICE
    int32_t device = 0;                // ordinal; 0 of the host

    bool on_device() const { return memory == HALO_MEMORY_DEVICE; }
    bool operator==(const Space &) const = default;
};

inline constexpr Space host_space{};

// Of memory of a kind that a binding or descriptor names. What the host reaches is one space, whichever device's driver has pinned it.
constexpr Space space_of(int32_t memory, int32_t device) { return memory == HALO_MEMORY_DEVICE ? Space{ memory, device } : host_space; }

} // namespace halo
