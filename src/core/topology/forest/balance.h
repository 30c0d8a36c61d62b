// SPDX-License-Identifier: BSD-3-Clause
// Balance: leaves that touch differ by one level at most.
#pragma once

#include "topology/forest/leaves.h"

namespace halo {

// Of two leaves that touch and differ by more.
struct Imbalance {
    int64_t finer = -1;   // gid; -1: there are none
    int32_t element = 13; // of the finer one, across which the other lies
    int64_t coarser = -1;
};
Imbalance find_imbalance(const Leaves &leaves, int32_t balance);

// Does leaves' touching by such an element count for a balance, HALO_BALANCE_...?
bool counts(int32_t balance, const ElementOffset &element);

} // namespace halo
