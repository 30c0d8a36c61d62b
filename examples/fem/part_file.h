// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace fem {

/// A part of a mesh is a file in Gmsh's format. Its entities: the nodes on the boundary, all other nodes and the part's own tetrahedra, and a halo:
/// the tetrahedra of other parts that have a node of its own ones. Tags of nodes and tetrahedra are those of the whole mesh.
constexpr int boundary_tag = 1; // of dimension 2
constexpr int own_tag = 1;      // of dimension 3
constexpr int halo_tag = 2;     // of dimension 3

constexpr int tetrahedron_type = 4; // of four nodes, by Gmsh's numbers

inline std::string part_file(const std::string &prefix, int part, int n_parts) {
    return prefix + "." + std::to_string(part) + "of" + std::to_string(n_parts) + ".msh";
}

} // namespace fem
