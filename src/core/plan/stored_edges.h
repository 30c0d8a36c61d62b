// SPDX-License-Identifier: BSD-3-Clause
// Copies from the storage of one rank straight into that of another, or combinations of what lies in both: one rank tells where each edge's values
// lie in its storage, the other compiles that into a table. Only what is dense, and aggregated.
#pragma once

#include <span>
#include <vector>

#include "plan/plan.h"

namespace halo {

// Where the values of one edge lie, in storage `slot`. Other ranks read it.
struct StoredEdge {
    uint32_t slot;
    uint32_t n_listed; // points of a list, which begins at entry `list` of the lists; 0: a box
    int64_t list;
    int64_t offset; // bytes
    int64_t stride[4];
};

// All of one message, in its order.
struct StoredEdges {
    std::vector<uint32_t> bases; // of each slot, as the plan numbers them
    std::vector<StoredEdge> edges;
    std::vector<uint32_t> lists;
};

// The same as another rank sees it.
struct StoredEdgesView {
    std::span<const StoredEdge> edges;
    std::span<const uint32_t> lists;
    uint32_t n_slots = 0;
};

// May the peers of an exchange write what is moved, or read what is combined?
bool can_land(const PlanShape &shape);
bool can_lend(const PlanShape &shape);

// Where this rank's storage takes what the peer of a link sends (can_land), or has what is sent to it (can_lend); no edges: nothing.
StoredEdges stored_edges(const PlanShape &shape, const Plan &plan, size_t link);

// From this rank's storage into the peer's. Bases: those of the plan, then one for each slot. HALO_ERR_WIRE: what the peer tells does not fit the
// plan.
CopyTable landing_table(const PlanShape &shape, const Plan &plan, size_t link, const StoredEdgesView &destinations);

// In place of what the peer of a link would send, what lies in its storage, whose first slot has number `first_base`.
std::vector<Placement> lent_placements(const PlanShape &shape, const Plan &plan, size_t link, const StoredEdgesView &sources, uint32_t first_base);
// From there to where the plan has the link's message. Bases as for landing_table.
CopyTable message_table(const PlanShape &shape, const Plan &plan, size_t link, const StoredEdgesView &sources);

} // namespace halo
