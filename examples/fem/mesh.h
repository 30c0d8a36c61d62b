// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace fem {

using Point = std::array<double, 3>;

struct Node {
    std::uint64_t key; ///< the same on every rank
    Point position;
    bool on_boundary;
    bool of_own_element; ///< otherwise only tetrahedra of the halo have it
};

struct Tetrahedron {
    std::uint64_t key;
    std::array<std::uint32_t, 4> nodes; ///< places in Mesh::nodes
    bool own;                           ///< each tetrahedron of the whole mesh is some rank's own
};

/// One part: its own tetrahedra and all others that have a node of them, so that rows of its own nodes can be assembled without asking anyone.
struct Mesh {
    std::vector<Node> nodes;
    std::vector<Tetrahedron> tetrahedra; ///< by key, so that sums over them have one order on every rank
};

/// Read one part by Gmsh. Threads wait for each other: Gmsh has one model per process. Throws std::runtime_error.
Mesh read_part(const std::string &file);

} // namespace fem
