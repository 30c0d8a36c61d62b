// SPDX-License-Identifier: BSD-3-Clause
// Rings of ghosts around a rank's points, from tables of neighbours: its own, and those that owners of ghosts send.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/context.h"

namespace halo {

struct GraphPoints {
    static constexpr uint32_t skipped = UINT32_MAX;

    // Of each point, owned ones first.
    std::vector<uint64_t> keys;
    std::vector<int32_t> owners; // -1: nobody
    std::vector<int32_t> rings;  // 0: owned
    // Neighbours of the first points by number.
    std::vector<int64_t> offsets{ 0 };
    std::vector<uint32_t> neighbours;

    int64_t n_rows() const { return std::ssize(offsets) - 1; }
};

// In the order of halo_topology_create_graph. Collective.
GraphPoints find_rings(Context &context, const halo_graph_desc &desc);

} // namespace halo
