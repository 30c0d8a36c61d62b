// SPDX-License-Identifier: BSD-3-Clause
#include "mesh.h"

#include <algorithm>
#include <map>

#include "ranks.h"

namespace access_test {

Mesh random_mesh(Random &random, int32_t n_ranks) {
    Mesh mesh;
    mesh.n_nodes = pick(random, 4, 60);
    const int64_t blur = pick(random, 0, 3); // of the borders between ranks
    const auto owner_near = [&](int64_t node) {
        const int64_t place = std::clamp<int64_t>(node + pick(random, -blur, blur), 0, mesh.n_nodes - 1);
        return static_cast<int32_t>(place * n_ranks / mesh.n_nodes);
    };
    for (int64_t i = 0; i < mesh.n_nodes; ++i) mesh.node_owner.push_back(owner_near(i));
    const int64_t n_edges = pick(random, 1, 3 * mesh.n_nodes);
    for (int64_t e = 0; e < n_edges; ++e) {
        const int64_t a = pick(random, 0, mesh.n_nodes - 1);
        const int64_t b = std::clamp<int64_t>(a + pick(random, -4, 4), 0, mesh.n_nodes - 1);
        mesh.edges.push_back({ a, b });
        mesh.edge_owner.push_back(mesh.node_owner[static_cast<size_t>(pick(random, 0, 1) ? a : b)]);
    }
    return mesh;
}

Mesh ring(int32_t n_ranks) {
    Mesh mesh;
    mesh.n_nodes = int64_t{ 8 } * n_ranks;
    for (int64_t i = 0; i < mesh.n_nodes; ++i) {
        mesh.node_owner.push_back(static_cast<int32_t>(i / 8));
        mesh.edges.push_back({ i, (i + 1) % mesh.n_nodes });
        mesh.edge_owner.push_back(mesh.node_owner.back());
    }
    return mesh;
}

LocalMesh::LocalMesh(const Mesh &mesh, int32_t rank) {
    std::vector<int64_t> some_edges, some_nodes;
    std::map<int64_t, uint32_t> place; // of each node, in some order
    const auto keep = [&](int64_t node) {
        if (place.try_emplace(node, static_cast<uint32_t>(some_nodes.size())).second) some_nodes.push_back(node);
    };
    const auto own = [&](int64_t node) { return mesh.node_owner[static_cast<size_t>(node)] == rank; };
    for (int64_t n = mesh.n_nodes; n-- > 0;)
        if (own(n)) keep(n);
    for (size_t e = 0; e < mesh.edges.size(); ++e) {
        const auto [a, b] = mesh.edges[e];
        if (mesh.edge_owner[e] != rank && !own(a) && !own(b)) continue;
        some_edges.push_back(static_cast<int64_t>(e));
        keep(a);
        keep(b);
    }
    std::vector<int32_t> owners, edge_owners;
    std::vector<uint32_t> some_ends;
    for (const int64_t node : some_nodes) owners.push_back(mesh.node_owner[static_cast<size_t>(node)]);
    for (const int64_t edge : some_edges) {
        edge_owners.push_back(mesh.edge_owner[static_cast<size_t>(edge)]);
        for (const int64_t node : mesh.edges[static_cast<size_t>(edge)]) some_ends.push_back(place.at(node));
    }
    halo_map map{ some_ends.data(), owners.data(), static_cast<int64_t>(owners.size()), 2, 0 };
    std::vector<uint32_t> node_order(owners.size()), edge_order(edge_owners.size()), new_place(owners.size());
    halo_section_sizes node_sizes = HALO_SECTION_SIZES_INIT;
    OK(halo_sections_classify(rank, owners.data(), map.n_to, nullptr, 0, nullptr, node_order.data(), &node_sizes));
    OK(halo_sections_classify(rank, edge_owners.data(), static_cast<int64_t>(edge_owners.size()), &map, 1, nullptr, edge_order.data(), &edge_sizes));
    n_own_nodes = node_sizes.n[HALO_SECTION_CORE] + node_sizes.n[HALO_SECTION_OWNED];
    for (const uint32_t old : node_order) {
        new_place[old] = static_cast<uint32_t>(nodes.size());
        nodes.push_back(some_nodes[old]);
        node_owner.push_back(owners[old]);
    }
    for (const uint32_t old : edge_order) {
        edges.push_back(some_edges[old]);
        edge_owner.push_back(edge_owners[old]);
        ends.push_back(new_place[some_ends[size_t{ 2 } * old]]);
        ends.push_back(new_place[some_ends[size_t{ 2 } * old + 1]]);
    }
    map.to = ends.data();
    map.to_owners = node_owner.data();
    std::vector<int32_t> sections(edges.size());
    OK(halo_sections_classify(rank, edge_owner.data(), static_cast<int64_t>(edges.size()), &map, 1, sections.data(), nullptr, nullptr));
    groups.resize(nodes.size());
    OK(halo_sections_reach(&map, sections.data(), static_cast<int64_t>(edges.size()), 1u << HALO_SECTION_CORE | 1u << HALO_SECTION_OWNED,
                           near_own_edges, groups.data()));
    std::ranges::replace(groups, 0u, near_others_alone);
}

} // namespace access_test
