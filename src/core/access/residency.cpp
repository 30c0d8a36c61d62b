// SPDX-License-Identifier: BSD-3-Clause
#include "access/residency.h"

namespace halo {

bool valid_at(Residency state, int32_t where) {
    switch (state) {
    case Residency::both: return true;
    case Residency::host:
    case Residency::device_unallocated: return where == HALO_ON_HOST;
    default: return where == HALO_ON_DEVICE;
    }
}

ResidencyStep access_section(Residency state, int32_t where, bool writes, bool whole) {
    const bool on_host = where == HALO_ON_HOST;
    const bool unallocated = state == (on_host ? Residency::host_unallocated : Residency::device_unallocated);
    const bool other_unallocated = state == (on_host ? Residency::device_unallocated : Residency::host_unallocated);
    ResidencyStep step{ state, unallocated, !valid_at(state, where) && !(writes && whole) };
    if (other_unallocated) return step; // the other side has never been asked for
    if (writes)
        step.next = on_host ? Residency::host : Residency::device;
    else if (!valid_at(state, where))
        step.next = Residency::both;
    return step;
}

} // namespace halo
