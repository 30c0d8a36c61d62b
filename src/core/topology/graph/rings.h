// SPDX-License-Identifier: BSD-3-Clause
// Rings of ghosts around a rank's points, from tables of neighbours: its own, and those that owners of ghosts send.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "comm/context.h"
#include "topology/graph/row_offsets.h"
#include "topology/keys/key_index.h"
#include "topology/keys/placement.h"

namespace halo {

constexpr uint32_t skipped_neighbour = UINT32_MAX;

// Points by number: own ones as given, then ghosts as they were found. Neighbours are numbers.
struct FoundPoints {
    KeyIndex index{ 0 };
    KeyRange range = no_keys; // of all
    int32_t n_rings = 1;
    int32_t directory = HALO_DIRECTORY_AUTO;
    bool knows_owners = false;
    // Of ghosts.
    std::vector<int32_t> owners; // -1: nobody, as far as is known
    std::vector<int32_t> rings;
    std::vector<std::vector<uint32_t>> rows; // those not asked for are empty, or not there
    // Of own points.
    RowOffsets offsets;
    LargeVector<uint32_t> own_rows; // with room for some of ghosts
    std::vector<uint32_t> border;   // those whose rows are not of own points alone

    int64_t n_owned() const { return offsets.n_rows(); }
    int64_t n_points() const { return std::ssize(index.keys()); }
};

// Collective.
FoundPoints find_rings(Context &context, const halo_graph_desc &desc);

} // namespace halo
