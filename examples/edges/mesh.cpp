// SPDX-License-Identifier: BSD-3-Clause
#include "mesh.h"

#include <numeric>
#include <random>
#include <unordered_map>

#include <halo_access.hpp>

namespace edges {

Mesh triangulated_square(uint32_t n) {
    std::vector<uint32_t> number(static_cast<size_t>(n) * n);
    std::iota(number.begin(), number.end(), 0u);
    std::mt19937 random(1); // its numbers are the same everywhere
    for (size_t i = number.size(); i > 1; --i) std::swap(number[i - 1], number[random() % i]);
    Mesh mesh;
    mesh.nodes.resize(number.size());
    for (uint32_t j = 0; j < n; ++j)
        for (uint32_t i = 0; i < n; ++i) {
            const auto node = [&](uint32_t x, uint32_t y) { return number[static_cast<size_t>(y) * n + x]; };
            mesh.nodes[node(i, j)] = { (i + 0.5) / n, (j + 0.5) / n };
            if (i + 1 < n) mesh.edges.push_back({ node(i, j), node(i + 1, j) });
            if (j + 1 < n) mesh.edges.push_back({ node(i, j), node(i, j + 1) });
            if (i + 1 < n && j + 1 < n) mesh.edges.push_back({ node(i, j), node(i + 1, j + 1) });
        }
    return mesh;
}

int32_t owner_of(const std::array<double, 2> &node, int32_t n_ranks) { return static_cast<int32_t>(node[0] * n_ranks); }

namespace {

// What a rank keeps, in any order.
struct Kept {
    std::vector<uint32_t> nodes, edges, ends;
    std::vector<int32_t> node_owners, edge_owners;
};

Kept keep(const Mesh &mesh, int32_t rank, int32_t n_ranks) {
    Kept kept;
    std::unordered_map<uint32_t, uint32_t> places;
    const auto place_of = [&](uint32_t node) {
        const auto [found, is_new] = places.try_emplace(node, static_cast<uint32_t>(kept.nodes.size()));
        if (is_new) {
            kept.nodes.push_back(node);
            kept.node_owners.push_back(owner_of(mesh.nodes[node], n_ranks));
        }
        return found->second;
    };
    for (uint32_t node = 0; node < mesh.nodes.size(); ++node)
        if (owner_of(mesh.nodes[node], n_ranks) == rank) place_of(node);
    for (uint32_t edge = 0; edge < mesh.edges.size(); ++edge) {
        const auto [a, b] = mesh.edges[edge];
        const int32_t owners[2] = { owner_of(mesh.nodes[a], n_ranks), owner_of(mesh.nodes[b], n_ranks) };
        if (owners[0] != rank && owners[1] != rank) continue;
        kept.edges.push_back(edge);
        kept.edge_owners.push_back(owners[0]);
        kept.ends.push_back(place_of(a));
        kept.ends.push_back(place_of(b));
    }
    return kept;
}

} // namespace

Part part_of(const Mesh &mesh, int32_t rank, int32_t n_ranks) {
    const Kept kept = keep(mesh, rank, n_ranks);
    const halo_map map{ kept.ends.data(), kept.node_owners.data(), static_cast<int64_t>(kept.nodes.size()), 2, 0 };
    const halo::Sections nodes = halo::classify_sections(rank, kept.node_owners);
    const halo::Sections edges = halo::classify_sections(rank, kept.edge_owners, { &map, 1 });
    std::vector<uint32_t> new_place(kept.nodes.size());
    Part part;
    part.node_sizes = nodes.sizes;
    part.edge_sizes = edges.sizes;
    for (const uint32_t old : nodes.order) {
        new_place[old] = static_cast<uint32_t>(part.nodes.size());
        part.nodes.push_back(kept.nodes[old]);
        part.node_owners.push_back(kept.node_owners[old]);
    }
    for (const uint32_t old : edges.order) {
        part.edges.push_back(kept.edges[old]);
        part.edge_owners.push_back(kept.edge_owners[old]);
        for (const uint32_t which : { 0u, 1u }) part.ends.push_back(new_place[kept.ends[2 * old + which]]);
    }
    return part;
}

} // namespace edges
