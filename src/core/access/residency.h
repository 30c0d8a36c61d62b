// SPDX-License-Identifier: BSD-3-Clause
// Where the valid values of a section of a field are, on the host or on the device: what an access must copy, and what it leaves behind.
#pragma once

#include <cstdint>

#include "halo_access.h"

namespace halo {

enum class Residency : int32_t {
    device_unallocated = HALO_RESIDENT_DEVICE_UNALLOCATED,
    host_unallocated = HALO_RESIDENT_HOST_UNALLOCATED,
    host = HALO_RESIDENT_HOST,
    device = HALO_RESIDENT_DEVICE,
    both = HALO_RESIDENT_BOTH,
};

struct ResidencyStep {
    Residency next;
    bool allocate = false; // on the side of the access
    bool copy = false;     // to the side of the access, from the other

    bool operator==(const ResidencyStep &) const = default;
};

// An access at HALO_ON_HOST or HALO_ON_DEVICE. `whole`: every value is written and none read.
ResidencyStep access_section(Residency state, int32_t where, bool writes, bool whole);

// Are the values valid there?
bool valid_at(Residency state, int32_t where);

} // namespace halo
