// SPDX-License-Identifier: BSD-3-Clause
// Copies from the storage of one rank straight into that of another: the receiver tells where each edge's values belong, the sender
// compiles that into a table. Only where values are moved (not combined), dense, and aggregated.
#pragma once

#include <span>
#include <vector>

#include "plan/plan.h"

namespace halo {

// Where the values of one edge belong, in storage `slot`. Other ranks read it.
struct Landing {
    uint32_t slot;
    uint32_t n_listed; // points of a list, which begins at entry `list` of the lists; 0: a box
    int64_t list;
    int64_t offset; // bytes
    int64_t stride[4];
};

// All of one message, in its order.
struct Landings {
    std::vector<uint32_t> bases; // of each slot, as the plan numbers them
    std::vector<Landing> edges;
    std::vector<uint32_t> lists;
};

// What this rank's storage could take from the peer of a link; no edges: nothing can be written directly.
Landings landings_of(const PlanShape &shape, const Plan &plan, size_t link);

// The same as the sender sees it, in memory of the receiver.
struct LandingsView {
    std::span<const Landing> edges;
    std::span<const uint32_t> lists;
    uint32_t n_slots = 0;
};

// Bases: those of the plan, then one for each slot. HALO_ERR_WIRE: what the receiver tells does not fit the plan.
CopyTable landing_table(const PlanShape &shape, const Plan &plan, size_t link, const LandingsView &landings);

} // namespace halo
