// SPDX-License-Identifier: BSD-3-Clause
#include "world.h"

#include <cstring>
#include <list>

namespace access_test {

conformance::Settings with_device() {
    if (conformance::storage_is_on_device()) return {}; // contexts have one
    return { { "device", "memory" }, { "plugin_path", MEMORY_DIRECTORY } };
}

namespace {

struct Copy {
    void *on_device;
    std::vector<std::byte> now, before;
};
thread_local std::list<Copy> copies;

void do_pieces(void *on_device, const std::vector<late_piece> &pieces) {
    const halo_stream stream = conformance::stream();
    conformance::test_device().copy(conformance::test_device().enter(on_device), pieces, stream == HALO_STREAM_DEFAULT ? HALO_STREAM_NONE : stream);
}

} // namespace

// All types of these tests have 8 bytes.
void *values_at(const halo_field *field, int64_t gid, int32_t set, int32_t where) {
    void *data = nullptr;
    OK(halo_access_data(field, gid, set, where, &data));
    if (where != HALO_ON_DEVICE || !data || !conformance::on_device()) return data;
    for (Copy &copy : copies)
        if (copy.on_device == data) return copy.now.data();
    halo_layout layout = HALO_LAYOUT_INIT;
    OK(halo_field_layout(field, gid, &layout));
    Copy &copy = copies.emplace_back();
    copy.on_device = data;
    copy.now.resize(static_cast<size_t>(layout.elements) * 8);
    do_pieces(data, { { copy.now.data(), data, copy.now.size() } });
    copy.before = copy.now;
    return copy.now.data();
}

void put_back() {
    for (const Copy &copy : copies) {
        std::vector<late_piece> changed;
        for (size_t at = 0; at < copy.now.size(); at += 8)
            if (std::memcmp(copy.now.data() + at, copy.before.data() + at, 8) != 0)
                changed.push_back({ static_cast<std::byte *>(copy.on_device) + at, copy.now.data() + at, 8 });
        do_pieces(copy.on_device, changed);
    }
    copies.clear();
}

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
    return static_cast<int64_t *>(values_at(field, rank_.rank, set, where));
}

halo_access_state World::state(const halo_field *field, int32_t set) const {
    halo_access_state state = HALO_ACCESS_STATE_INIT;
    OK(halo_access_get_state(field, set, &state));
    return state;
}

halo_access_stats World::stats(const char *name) const {
    halo_access_stats stats = HALO_ACCESS_STATS_INIT;
    OK(halo_access_get_stats(rank_.context, name, &stats));
    return stats;
}

halo_batch *World::begin(const std::vector<halo_access> &accesses, int32_t style, int32_t where) const {
    halo_batch *batch = nullptr;
    OK(halo_access_begin(rank_.context, accesses.data(), static_cast<int32_t>(accesses.size()), sizeof(halo_access), style, where,
                         conformance::stream(), &batch));
    return batch;
}

void World::touch(const std::vector<halo_access> &accesses, int32_t style, int32_t where) const {
    halo_batch *batch = begin(accesses, style, where);
    OK(halo_access_ready(batch));
    OK(halo_access_end(batch));
}

} // namespace access_test
