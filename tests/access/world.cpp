// SPDX-License-Identifier: BSD-3-Clause
#include "world.h"

namespace access_test {

conformance::Settings with_device() { return { { "device", "memory" }, { "plugin_path", MEMORY_DIRECTORY } }; }

World::World(const Rank &rank, const Mesh &mesh) : rank_(rank), local_(mesh, rank.rank) {
    nodes = make_topology(rank, local_.nodes, local_.node_owner);
    edges = make_topology(rank, local_.edges, local_.edge_owner);
    OK(halo_topology_set_sections(nodes, local_.groups.data(), static_cast<int64_t>(local_.groups.size())));
    x = make_field(nodes, "x");
    res = make_field(nodes, "res");
    low = make_field(nodes, "low");
    high = make_field(nodes, "high");
    w = make_field(edges, "w");
}

World::~World() {
    for (halo_field **field : { &x, &res, &low, &high, &w }) halo_field_destroy(field);
    for (halo_topology **topology : { &nodes, &edges }) halo_topology_destroy(topology);
}

halo_topology *World::make_topology(const Rank &rank, const std::vector<int64_t> &numbers, const std::vector<int32_t> &owners) {
    const std::vector<uint64_t> keys(numbers.begin(), numbers.end());
    halo_keys_desc desc = HALO_KEYS_DESC_INIT;
    desc.n_keys = static_cast<int64_t>(keys.size());
    desc.keys = keys.data();
    static const int32_t nobody = 0;
    desc.owners = owners.empty() ? &nobody : owners.data();
    desc.numbering = HALO_NUMBERING_AS_GIVEN;
    halo_topology *topology = nullptr;
    OK(halo_topology_create_keys(rank.context, &desc, &topology));
    return topology;
}

halo_field *World::make_field(halo_topology *topology, const char *name, int32_t n_sets) {
    halo_field_desc desc = HALO_FIELD_DESC_INIT;
    desc.name = name;
    desc.type = HALO_INT64;
    desc.n_sets = n_sets;
    halo_field *field = nullptr;
    OK(halo_field_create(topology, &desc, &field));
    OK(halo_field_allocate(field, -1));
    return field;
}

int64_t *World::data(const halo_field *field, int32_t where, int32_t set) const {
    void *pointer = nullptr;
    OK(halo_access_data(field, rank_.rank, set, where, &pointer));
    return static_cast<int64_t *>(pointer);
}

halo_access_state World::state(const halo_field *field, int32_t set) const {
    halo_access_state state = HALO_ACCESS_STATE_INIT;
    OK(halo_access_state_get(field, set, &state));
    return state;
}

halo_access_stats World::stats(const char *name) const {
    halo_access_stats stats = HALO_ACCESS_STATS_INIT;
    OK(halo_access_stats_get(rank_.context, name, &stats));
    return stats;
}

halo_batch *World::begin(const std::vector<halo_access> &accesses, int32_t style, int32_t where) const {
    halo_batch *batch = nullptr;
    OK(halo_access_begin(rank_.context, accesses.data(), static_cast<int32_t>(accesses.size()), sizeof accesses[0], style, where, HALO_STREAM_NONE,
                         &batch));
    return batch;
}

void World::touch(const std::vector<halo_access> &accesses, int32_t style, int32_t where) const {
    halo_batch *batch = begin(accesses, style, where);
    OK(halo_access_ready(batch));
    OK(halo_access_end(batch));
}

} // namespace access_test
