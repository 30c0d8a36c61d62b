// SPDX-License-Identifier: BSD-3-Clause
#include "mesh.h"

#include <metis.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace ugrid {

namespace {

/// An edge of a face, as all faces have it.
struct Edge {
    std::int64_t low, high, face, place;
    auto ends() const { return std::tie(low, high); }
};

} // namespace

Neighbours find_neighbours(const Mesh &mesh) {
    std::vector<Edge> edges;
    for (std::int64_t face = 0; face < mesh.n_faces(); ++face) {
        const auto around = mesh.nodes_of(face);
        for (std::size_t k = 0; k < around.size(); ++k) {
            const auto [low, high] = std::minmax(around[k], around[(k + 1) % around.size()]);
            edges.push_back({ low, high, face, mesh.first[static_cast<std::size_t>(face)] + static_cast<std::int64_t>(k) });
        }
    }
    std::sort(edges.begin(), edges.end(),
              [](const Edge &a, const Edge &b) { return std::tie(a.low, a.high, a.face) < std::tie(b.low, b.high, b.face); });
    std::vector<std::int64_t> across(mesh.nodes.size(), -1); // none: a border of the mesh
    for (std::size_t i = 1; i < edges.size(); ++i) {
        if (edges[i - 1].ends() != edges[i].ends()) continue;
        if (i > 1 && edges[i - 2].ends() == edges[i].ends())
            throw std::runtime_error("more than two faces share the edge between nodes " + std::to_string(edges[i].low) + " and " +
                                     std::to_string(edges[i].high));
        across[static_cast<std::size_t>(edges[i - 1].place)] = edges[i].face;
        across[static_cast<std::size_t>(edges[i].place)] = edges[i - 1].face;
    }
    Neighbours neighbours;
    for (std::int64_t face = 0; face < mesh.n_faces(); ++face) {
        for (auto place = mesh.first[static_cast<std::size_t>(face)]; place < mesh.first[static_cast<std::size_t>(face) + 1]; ++place)
            if (across[static_cast<std::size_t>(place)] >= 0) neighbours.faces.push_back(across[static_cast<std::size_t>(place)]);
        neighbours.first.push_back(std::ssize(neighbours.faces));
    }
    return neighbours;
}

std::vector<std::int32_t> cut(const Neighbours &neighbours, std::int32_t n_parts) {
    std::vector<idx_t> first(neighbours.first.begin(), neighbours.first.end()), faces(neighbours.faces.begin(), neighbours.faces.end());
    std::vector<idx_t> parts(first.size() - 1, 0);
    idx_t n_faces = static_cast<idx_t>(parts.size()), n_weights = 1, n_wanted = n_parts, n_cut = 0;
    if (n_parts > 1) {
        const int answer = METIS_PartGraphRecursive(&n_faces, &n_weights, first.data(), faces.data(), nullptr, nullptr, nullptr, &n_wanted, nullptr,
                                                    nullptr, nullptr, &n_cut, parts.data());
        if (answer != METIS_OK) throw std::runtime_error("METIS cannot cut the mesh: " + std::to_string(answer));
    }
    return { parts.begin(), parts.end() };
}

} // namespace ugrid
