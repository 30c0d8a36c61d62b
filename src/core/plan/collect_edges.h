// SPDX-License-Identifier: BSD-3-Clause
// The edges that a plan has to do with, told apart by where their other end is.
#pragma once

#include <map>
#include <vector>

#include "plan/plan.h"

namespace halo {

struct CollectedEdges {
    struct Peer {
        std::vector<FieldEdge> send;
        std::vector<FieldEdge> receive;
    };
    std::vector<FieldEdge> local;
    std::map<int32_t, Peer> peers;

    const Peer &of(int32_t peer) const;
};

CollectedEdges collect_edges(const PlanShape &shape, const PlanNarrowing &narrowing);

} // namespace halo
