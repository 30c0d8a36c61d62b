// SPDX-License-Identifier: BSD-3-Clause
#include "allocation_scenarios.h"
#include "halo_sphere.h"

namespace allocations {

namespace {

constexpr int64_t n = 2;

void ask(Member &member, const halo_sphere *sphere) {
    const int64_t *gids = nullptr;
    int64_t n_parts = 0;
    ALONE(halo_sphere_local_parts(sphere, &gids, &n_parts));
    for (int64_t place = 0; place < n_parts; ++place) {
        halo_sphere_part part = HALO_SPHERE_PART_INIT;
        ALONE(halo_sphere_get_part(sphere, gids[place], &part));
        std::vector<uint64_t> keys(static_cast<size_t>(part.n_local[HALO_SPHERE_EDGES]));
        std::vector<uint32_t> table(static_cast<size_t>(part.n_local[HALO_SPHERE_EDGES]) * 4);
        int64_t length = 0;
        ALONE(halo_sphere_keys(sphere, part.gid, HALO_SPHERE_EDGES, keys.data(), std::ssize(keys), &length));
        member.keep(keys);
        ALONE(halo_sphere_neighbours(sphere, part.gid, HALO_SPHERE_EDGES, HALO_SPHERE_EDGES, table.data(), std::ssize(table), &length));
        member.keep(table);
        ALONE(halo_sphere_ring_ends(sphere, part.gid, HALO_SPHERE_CELLS, nullptr, 0, &length));
    }
}

void ask_of_numbers(Member &member) {
    halo_sphere_entity entity{ 0, 0, n, n - 1 };
    uint64_t key = 0, neighbours[6];
    int32_t n_neighbours = 0;
    ALONE(halo_sphere_key(HALO_SPHERE_OCTAHEDRON, n, HALO_SPHERE_VERTICES, &entity, &key));
    ALONE(halo_sphere_entity_of(HALO_SPHERE_OCTAHEDRON, n, HALO_SPHERE_VERTICES, key, &entity));
    ALONE(halo_sphere_key_neighbours(HALO_SPHERE_OCTAHEDRON, n, HALO_SPHERE_VERTICES, key, HALO_SPHERE_CELLS, neighbours, &n_neighbours));
    double position[3];
    ALONE(halo_sphere_position(HALO_SPHERE_OCTAHEDRON, n, HALO_SPHERE_VERTICES, key, position));
    member.keep(neighbours, static_cast<size_t>(n_neighbours) * sizeof *neighbours);
}

void sphere(Member &member, bool listed) {
    std::vector<halo_sphere_box> boxes;
    for (int32_t p = 0; p < 4; ++p) boxes.push_back({ p, p % member.size, { 0, 0 }, { n, n } });
    halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
    desc.solid = HALO_SPHERE_OCTAHEDRON, desc.n = n;
    if (listed) desc.boxes = boxes.data(), desc.n_boxes = std::ssize(boxes);
    halo_sphere *grid = nullptr;
    TALK(halo_sphere_create(member.context, &desc, &grid));
    ask(member, grid);
    ask_of_numbers(member);
    halo_topology *cells = nullptr, *vertices = nullptr;
    TALK(halo_sphere_topology(grid, HALO_SPHERE_CELLS, &cells));
    TALK(halo_sphere_topology(grid, HALO_SPHERE_VERTICES, &vertices));
    halo_field *u = make_field(member, cells, "u", 0, {}), *v = make_field(member, vertices, "v", 0, {});
    for (halo_field *field : { u, v }) ALONE(halo_field_allocate(field, -1));
    try_exchange(member, { u, v }, { cells, vertices }, {});
    for (halo_field **field : { &u, &v }) ALONE(halo_field_destroy(field));
    for (halo_topology **topology : { &cells, &vertices }) ALONE(halo_topology_destroy(topology));
    ALONE(halo_sphere_destroy(&grid));
}

// An exchange on a topology that the call makes.
void quads(Member &member, const std::function<halo_status(halo_topology **)> &create, int32_t ghosts) {
    halo_topology *topology = nullptr;
    TALK(create(&topology));
    halo_field *u = make_field(member, topology, "u", ghosts, {});
    ALONE(halo_field_allocate(u, -1));
    try_exchange(member, { u }, { topology }, {});
    ALONE(halo_field_destroy(&u));
    ALONE(halo_topology_destroy(&topology));
}

void cubed(Member &member) {
    halo_cubed_sphere_desc desc = HALO_CUBED_SPHERE_DESC_INIT;
    desc.n = 2, desc.parts_per_side = 1;
    quads(
        member, [&](halo_topology **topology) { return halo_topology_create_cubed_sphere(member.context, &desc, topology); }, 1);
}

void latitudes(Member &member) {
    halo_latitudes_desc desc = HALO_LATITUDES_DESC_INIT;
    desc.cells[0] = 6, desc.cells[1] = 3, desc.parts[0] = 3;
    quads(
        member, [&](halo_topology **topology) { return halo_topology_create_latitudes(member.context, &desc, topology); }, 1);
}

void rows(Member &member) {
    const int64_t cells[] = { 3, 6, 3 };
    halo_reduced_rows_desc desc = HALO_REDUCED_ROWS_DESC_INIT;
    desc.n_rows = 3, desc.cells = cells;
    uint64_t neighbours[6];
    int64_t n_neighbours = 0;
    ALONE(halo_reduced_rows_neighbours(&desc, 4, neighbours, 6, &n_neighbours));
    member.keep(neighbours, static_cast<size_t>(n_neighbours) * sizeof *neighbours);
    quads(
        member, [&](halo_topology **topology) { return halo_topology_create_reduced_rows(member.context, &desc, topology); }, 0);
}

} // namespace

std::vector<Scenario> sphere_scenarios() {
    std::vector<Scenario> all;
    add_for_ranks(all, "sphere of boxes", [](Member &member) { sphere(member, true); });
    add_for_ranks(all, "sphere", [](Member &member) { sphere(member, false); });
    add_for_ranks(all, "cubed sphere", cubed);
    add_for_ranks(all, "latitudes", latitudes);
    add_for_ranks(all, "reduced rows", rows);
    return all;
}

} // namespace allocations
