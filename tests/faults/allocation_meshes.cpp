// SPDX-License-Identifier: BSD-3-Clause
#include "allocation_scenarios.h"
#include "halo_mesh.h"

namespace allocations {

namespace {

// A closed chain of edges, of which every rank brings some that are the next one's, and the nodes between them.
void chain(Member &member, int32_t directory) {
    const auto n_edges = static_cast<uint64_t>(4 * member.size);
    std::vector<uint64_t> edges, ends;
    std::vector<int32_t> owners;
    for (uint64_t i = 0; i < 4; ++i) {
        const uint64_t edge = 4 * static_cast<uint64_t>(member.rank) + i;
        edges.push_back(edge);
        owners.push_back(static_cast<int32_t>((edge + 2) % n_edges / 4));
        ends.insert(ends.end(), { 7 * edge, 7 * ((edge + 1) % n_edges) });
    }
    halo_mesh_set sets[2] = { HALO_MESH_SET_INIT, HALO_MESH_SET_INIT };
    sets[0].name = "edges", sets[0].n = std::ssize(edges), sets[0].keys = edges.data();
    sets[0].owner_rule = HALO_MESH_OWNER_GIVEN, sets[0].owners = owners.data();
    sets[1].name = "nodes", sets[1].owner_rule = HALO_MESH_OWNER_OF_SOURCES;
    halo_mesh_map map = HALO_MESH_MAP_INIT;
    map.name = "ends", map.to = 1, map.arity = 2, map.keys = ends.data();
    halo_mesh_desc desc = HALO_MESH_DESC_INIT;
    desc.depth = 2, desc.directory = directory, desc.n_sets = 2, desc.sets = sets, desc.n_maps = 1, desc.maps = &map;
    halo_mesh *mesh = nullptr;
    TALK(halo_mesh_create(member.context, &desc, &mesh));

    halo_mesh_local local = HALO_MESH_LOCAL_INIT;
    const uint32_t *to = nullptr;
    int64_t n_rows = 0;
    ALONE(halo_mesh_get_local(mesh, 0, &local));
    ALONE(halo_mesh_get_map(mesh, 0, &to, &n_rows, nullptr));
    member.keep(local.keys, static_cast<size_t>(local.n) * sizeof *local.keys);
    member.keep(to, static_cast<size_t>(2 * n_rows) * sizeof *to);
    std::vector<uint64_t> here(static_cast<size_t>(local.n));
    TALK(halo_mesh_distribute(mesh, 0, edges.data(), here.data(), sizeof here[0]));
    TALK(halo_mesh_collect(mesh, 0, here.data(), edges.data(), sizeof here[0]));
    member.keep(here);
    member.keep(edges);

    const uint64_t far[2] = { 7 * ((edges[0] + 5) % n_edges), 0 };
    const std::vector<int32_t> layers(static_cast<size_t>(local.n_owned), 2);
    const halo_column_entry entry{ 1, 0, 1 };
    int32_t over_edges = -1, over_nodes = -1;
    TALK(halo_mesh_add_columns(mesh, 0, 0, layers.data(), &over_edges));
    TALK(halo_mesh_add_columns(mesh, 1, 3, nullptr, &over_nodes));
    std::vector<uint32_t> lowest(static_cast<size_t>(n_rows));
    const int64_t *starts = nullptr;
    ALONE(halo_mesh_get_columns(mesh, over_edges, &starts, nullptr));
    member.keep(starts, static_cast<size_t>(local.n + 1) * sizeof *starts);
    ALONE(halo_mesh_get_column_map(mesh, 0, over_edges, over_nodes, &entry, 1, lowest.data(), n_rows, &n_rows));
    member.keep(lowest);

    halo_topology *made[3] = {};
    TALK(halo_mesh_topology(mesh, 1, &made[0]));
    TALK(halo_mesh_target_topology(mesh, 1, far, 2, &made[1]));
    TALK(halo_mesh_column_topology(mesh, over_edges, &made[2]));
    ALONE(halo_mesh_destroy(&mesh));
    for (halo_topology *&topology : made) {
        halo_field *u = make_field(member, topology, "u", 0, {});
        ALONE(halo_field_allocate(u, -1));
        try_exchange(member, { u }, { topology }, {});
        ALONE(halo_field_destroy(&u));
        ALONE(halo_topology_destroy(&topology));
    }
}

} // namespace

std::vector<Scenario> mesh_scenarios() {
    std::vector<Scenario> all;
    add_for_ranks(all, "mesh", [](Member &member) { chain(member, HALO_DIRECTORY_AUTO); });
    add_for_ranks(all, "mesh by hash", [](Member &member) { chain(member, HALO_DIRECTORY_HASH); });
    return all;
}

} // namespace allocations
