// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ugrid {

/// A mesh of polygons on the sphere, as a file has it.
struct Mesh {
    std::vector<double> longitude, latitude; ///< of the nodes, in radians
    std::vector<std::int64_t> first{ 0 };    ///< where the nodes of each face begin; one more
    std::vector<std::int64_t> nodes;         ///< around each face

    std::int64_t n_faces() const { return std::ssize(first) - 1; }
    std::span<const std::int64_t> nodes_of(std::int64_t face) const {
        const auto begin = static_cast<std::size_t>(first[static_cast<std::size_t>(face)]);
        return std::span(nodes).subspan(begin, static_cast<std::size_t>(first[static_cast<std::size_t>(face) + 1]) - begin);
    }
};

/// Faces across the edges of each face, in the order of its edges.
struct Neighbours {
    std::vector<std::int64_t> first{ 0 }, faces;
};
Neighbours find_neighbours(const Mesh &mesh);

/// Which part each face belongs to, by METIS; the same for the same mesh.
std::vector<std::int32_t> cut(const Neighbours &neighbours, std::int32_t n_parts);

/// A NetCDF file with the conventions of UGRID 1.0 (ugrid-conventions.github.io), two-dimensional topologies with angles for coordinates, or a grid
/// of ICON.
Mesh read_mesh(const std::string &file);
enum class Format : std::uint8_t { ugrid, icon };
void write_mesh(const Mesh &mesh, const std::string &file, Format format);

} // namespace ugrid
