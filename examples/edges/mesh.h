// SPDX-License-Identifier: BSD-3-Clause
// A triangulated square, as all ranks can compute it, and what one rank keeps of it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <halo_access.h>

namespace edges {

// Nodes have shuffled numbers, so that nothing follows from them; an edge joins the nodes of two triangles' corners.
struct Mesh {
    std::vector<std::array<double, 2>> nodes; // places in the unit square
    std::vector<std::array<uint32_t, 2>> edges;
};
Mesh triangulated_square(uint32_t nodes_per_side);

// Ranks get vertical strips of the square; an edge belongs to the rank of its first node.
int32_t owner_of(const std::array<double, 2> &node, int32_t n_ranks);

// Own nodes and edges, the edges of others that touch own nodes, and all nodes that these edges touch; everything stored by section.
struct Part {
    std::vector<uint64_t> nodes; // number in the mesh, by local index
    std::vector<uint64_t> edges;
    std::vector<uint32_t> ends; // the map: two local nodes per edge
    std::vector<int32_t> node_owners;
    std::vector<int32_t> edge_owners;
    halo_section_sizes node_sizes = HALO_SECTION_SIZES_INIT;
    halo_section_sizes edge_sizes = HALO_SECTION_SIZES_INIT;
};
Part part_of(const Mesh &mesh, int32_t rank, int32_t n_ranks);

} // namespace edges
