// SPDX-License-Identifier: BSD-3-Clause
#include "mesh.h"

#include "part_file.h"

#include <gmsh.h>

#include <algorithm>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <unordered_map>

namespace fem {

namespace {

using Places = std::unordered_map<std::size_t, std::uint32_t>; // node tag -> place

void read_nodes(int dimension, int tag, bool on_boundary, Mesh &mesh, Places &places) {
    std::vector<std::size_t> tags;
    std::vector<double> positions, unused;
    gmsh::model::mesh::getNodes(tags, positions, unused, dimension, tag);
    for (std::size_t i = 0; i < tags.size(); ++i) {
        places[tags[i]] = static_cast<std::uint32_t>(mesh.nodes.size());
        mesh.nodes.push_back({ tags[i], { positions[3 * i], positions[3 * i + 1], positions[3 * i + 2] }, on_boundary, false });
    }
}

void read_tetrahedra(int tag, bool own, Mesh &mesh, const Places &places) {
    std::vector<std::size_t> tags, corners;
    gmsh::model::mesh::getElementsByType(tetrahedron_type, tags, corners, tag);
    for (std::size_t i = 0; i < tags.size(); ++i) {
        Tetrahedron tetrahedron{ tags[i], {}, own };
        for (std::size_t corner = 0; corner < 4; ++corner) {
            tetrahedron.nodes[corner] = places.at(corners[4 * i + corner]);
            if (own) mesh.nodes[tetrahedron.nodes[corner]].of_own_element = true;
        }
        mesh.tetrahedra.push_back(tetrahedron);
    }
}

} // namespace

Mesh read_part(const std::string &file) {
    static std::mutex one_at_a_time;
    const std::scoped_lock lock(one_at_a_time);
    if (!std::filesystem::exists(file)) throw std::runtime_error(file + ": no such mesh; fem_mesh makes it");
    gmsh::initialize();
    gmsh::option::setNumber("General.Terminal", 0);
    gmsh::open(file);
    Mesh mesh;
    Places places;
    read_nodes(2, boundary_tag, true, mesh, places);
    read_nodes(3, own_tag, false, mesh, places);
    gmsh::vectorpair volumes;
    gmsh::model::getEntities(volumes, 3);
    for (const auto &volume : volumes) read_tetrahedra(volume.second, volume.second == own_tag, mesh, places);
    gmsh::finalize();
    std::sort(mesh.tetrahedra.begin(), mesh.tetrahedra.end(), [](const auto &a, const auto &b) { return a.key < b.key; });
    return mesh;
}

} // namespace fem
