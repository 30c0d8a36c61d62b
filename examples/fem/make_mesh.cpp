// SPDX-License-Identifier: BSD-3-Clause
// Mesh a block with a round hole, a spherical dent and a boss by Gmsh, cut it into parts by METIS, and write one file per part.
//   fem_mesh PREFIX SIZE PARTS...    e.g. fem_mesh fine 0.03 1 4 writes fine.0of1.msh and fine.0of4.msh ... fine.3of4.msh
#include "part_file.h"

#include <gmsh.h>
#include <metis.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// The whole mesh, with tags 1, 2, ... for the nodes.
struct WholeMesh {
    std::vector<double> positions;       // three per node
    std::vector<char> on_boundary;       // of each node
    std::vector<std::size_t> tetrahedra; // tags
    std::vector<std::size_t> corners;    // four node tags per tetrahedron
};

void make_geometry() {
    namespace occ = gmsh::model::occ;
    const int block = occ::addBox(0, 0, 0, 1.6, 1, 0.5);
    const int boss = occ::addCylinder(0.45, 0.5, 0.5, 0, 0, 0.25, 0.32);
    const int hole = occ::addCylinder(0.45, 0.5, -0.1, 0, 0, 1.0, 0.18);
    const int dent = occ::addSphere(1.25, 0.5, 0.62, 0.32);
    gmsh::vectorpair body, rest;
    std::vector<gmsh::vectorpair> origins;
    occ::fuse({ { 3, block } }, { { 3, boss } }, body, origins);
    occ::cut(body, { { 3, hole }, { 3, dent } }, rest, origins);
    occ::synchronize();
}

WholeMesh make_mesh(double size) {
    gmsh::option::setNumber("Mesh.MeshSizeMin", size);
    gmsh::option::setNumber("Mesh.MeshSizeMax", size);
    make_geometry();
    gmsh::model::mesh::generate(3);
    gmsh::model::mesh::renumberNodes();

    WholeMesh mesh;
    std::vector<std::size_t> tags;
    std::vector<double> positions, unused;
    gmsh::model::mesh::getNodes(tags, positions, unused);
    mesh.positions.resize(positions.size());
    for (std::size_t i = 0; i < tags.size(); ++i)
        std::copy_n(positions.begin() + static_cast<std::ptrdiff_t>(3 * i), 3,
                    mesh.positions.begin() + static_cast<std::ptrdiff_t>(3 * (tags[i] - 1)));
    gmsh::model::mesh::getNodes(tags, positions, unused, 2, -1, true);
    mesh.on_boundary.assign(mesh.positions.size() / 3, 0);
    for (const auto tag : tags) mesh.on_boundary[tag - 1] = 1;
    gmsh::model::mesh::getElementsByType(fem::tetrahedron_type, mesh.tetrahedra, mesh.corners);
    return mesh;
}

/// Part of each tetrahedron.
std::vector<idx_t> cut(const WholeMesh &mesh, idx_t n_parts) {
    auto n_elements = static_cast<idx_t>(mesh.tetrahedra.size()), n_nodes = static_cast<idx_t>(mesh.on_boundary.size());
    std::vector<idx_t> part_of_element(mesh.tetrahedra.size(), 0), part_of_node(mesh.on_boundary.size());
    if (n_parts == 1) return part_of_element;
    std::vector<idx_t> first(mesh.tetrahedra.size() + 1), corners(mesh.corners.begin(), mesh.corners.end());
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<idx_t>(4 * i);
    for (auto &corner : corners) --corner;
    idx_t shared_by_neighbours = 3, cut_edges = 0; // a face
    const int answer = METIS_PartMeshDual(&n_elements, &n_nodes, first.data(), corners.data(), nullptr, nullptr, &shared_by_neighbours, &n_parts,
                                          nullptr, nullptr, &cut_edges, part_of_element.data(), part_of_node.data());
    if (answer != METIS_OK) throw std::runtime_error("METIS cannot cut the mesh: " + std::to_string(answer));
    return part_of_element;
}

/// The elements of one part, and those of others that have a node of it.
void write_part(const WholeMesh &mesh, const std::vector<idx_t> &part_of_element, idx_t part, const std::string &file) {
    std::vector<char> touched(mesh.on_boundary.size(), 0), present(mesh.on_boundary.size(), 0);
    const auto mark = [&](std::size_t element, std::vector<char> &nodes) {
        for (std::size_t corner = 0; corner < 4; ++corner) nodes[mesh.corners[4 * element + corner] - 1] = 1;
    };
    for (std::size_t i = 0; i < part_of_element.size(); ++i)
        if (part_of_element[i] == part) mark(i, touched);
    std::vector<std::size_t> own, halo;
    for (std::size_t i = 0; i < part_of_element.size(); ++i) {
        const auto *corners = &mesh.corners[4 * i];
        const bool near = std::any_of(corners, corners + 4, [&](std::size_t tag) { return touched[tag - 1] != 0; });
        if (!near) continue;
        (part_of_element[i] == part ? own : halo).push_back(i);
        mark(i, present);
    }

    gmsh::model::add("part");
    const auto add_nodes = [&](int dimension, int tag, bool boundary) {
        std::vector<std::size_t> tags;
        std::vector<double> positions;
        for (std::size_t i = 0; i < present.size(); ++i) {
            if (!present[i] || (mesh.on_boundary[i] != 0) != boundary) continue;
            tags.push_back(i + 1);
            positions.insert(positions.end(), &mesh.positions[3 * i], &mesh.positions[3 * i] + 3);
        }
        gmsh::model::addDiscreteEntity(dimension, tag);
        gmsh::model::mesh::addNodes(dimension, tag, tags, positions);
    };
    const auto add_elements = [&](int tag, const std::vector<std::size_t> &elements) {
        std::vector<std::size_t> tags, corners;
        for (const auto i : elements) {
            tags.push_back(mesh.tetrahedra[i]);
            corners.insert(corners.end(), &mesh.corners[4 * i], &mesh.corners[4 * i] + 4);
        }
        gmsh::model::mesh::addElementsByType(tag, fem::tetrahedron_type, tags, corners);
    };
    add_nodes(2, fem::boundary_tag, true);
    add_nodes(3, fem::own_tag, false);
    add_elements(fem::own_tag, own);
    gmsh::model::addDiscreteEntity(3, fem::halo_tag);
    if (!halo.empty()) add_elements(fem::halo_tag, halo);
    gmsh::write(file);
    gmsh::model::remove();
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: fem_mesh PREFIX SIZE PARTS...\n");
        return EXIT_FAILURE;
    }
    try {
        gmsh::initialize();
        gmsh::option::setNumber("General.Terminal", 0);
        gmsh::option::setNumber("Mesh.Binary", 1);
        gmsh::option::setNumber("Mesh.SaveAll", 1);
        const std::string prefix = argv[1];
        const auto mesh = make_mesh(std::stod(argv[2]));
        for (int i = 3; i < argc; ++i) {
            const int n_parts = std::stoi(argv[i]);
            const auto part_of_element = cut(mesh, n_parts);
            for (int part = 0; part < n_parts; ++part) write_part(mesh, part_of_element, part, fem::part_file(prefix, part, n_parts));
        }
        std::printf("%s: %zu nodes, %zu tetrahedra\n", prefix.c_str(), mesh.on_boundary.size(), mesh.tetrahedra.size());
        gmsh::finalize();
        return EXIT_SUCCESS;
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "fem_mesh: %s\n", failure.what());
        return EXIT_FAILURE;
    }
}
