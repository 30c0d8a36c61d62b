// SPDX-License-Identifier: BSD-3-Clause
// Random nodes and edges, as all ranks know them, and what one rank keeps of them.
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "halo_access.h"

namespace access_test {

using Random = std::mt19937_64;
// Inclusive.
inline int64_t pick(Random &random, int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }

struct Mesh {
    int64_t n_nodes = 0;
    std::vector<std::array<int64_t, 2>> edges;
    std::vector<int32_t> node_owner;
    std::vector<int32_t> edge_owner;
};

// Some ranks may own nothing.
Mesh random_mesh(Random &random, int32_t n_ranks);

// A ring of nodes, an equal run of them for each rank; edges belong to their first node.
Mesh ring(int32_t n_ranks);

// Own entities, edges that touch own nodes, and all nodes that these edges touch; stored by section.
struct LocalMesh {
    std::vector<int64_t> nodes; // global number, by local index
    std::vector<int64_t> edges;
    std::vector<uint32_t> ends; // local nodes, two per edge
    std::vector<int32_t> node_owner;
    std::vector<int32_t> edge_owner;
    int64_t n_own_nodes = 0;
    halo_section_sizes edge_sizes = HALO_SECTION_SIZES_INIT;
    std::vector<uint32_t> groups; // of nodes: `near_own_edges`, or else `near_others_alone`

    LocalMesh(const Mesh &mesh, int32_t rank);
};

// Bits of the nodes that own edges touch, and of those that only others' do.
inline constexpr uint32_t near_own_edges = 1u << 4, near_others_alone = 1u << 5;

} // namespace access_test
