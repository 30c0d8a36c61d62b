// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/mesh.h"

#include <cstddef>

#include "base/checked.h"
#include "base/limits.h"
#include "capi/create_topology.h"
#include "capi/list.h"

using namespace halo;

namespace {

constexpr int32_t most_listed = 1024; // sets, maps

template <Growing T>
std::vector<T> read_items(const T *list, int32_t n, size_t bytes, const T &defaults, const char *name) {
    if (n < 0) fail(HALO_ERR_ARGUMENT, "mesh: %d of %s", n, name);
    check_limit(format("mesh: the number of %s", name).c_str(), n, most_listed);
    if (n > 0) require(list, name);
    std::vector<T> items;
    for (int32_t i = 0; i < n; ++i) items.push_back(read_item(list, bytes, i, defaults));
    return items;
}

MeshDescription read_mesh(const halo_mesh_desc &desc, int32_t n_ranks) {
    const auto sets = read_items(desc.sets, desc.n_sets, desc.set_bytes, halo_mesh_set HALO_MESH_SET_INIT, "sets");
    const auto maps = read_items(desc.maps, desc.n_maps, desc.map_bytes, halo_mesh_map HALO_MESH_MAP_INIT, "maps");
    return describe_mesh(desc, sets, maps, n_ranks);
}

halo_mesh_local described(const Mesh &mesh, const LocalSet &set) {
    halo_mesh_local local = HALO_MESH_LOCAL_INIT;
    local.depth = mesh.depth();
    local.n = std::ssize(set.keys);
    local.n_core = set.n_core;
    local.n_owned = set.layer_ends[0];
    local.layer_ends = set.layer_ends.data();
    local.reach_ends = set.reach_ends.data();
    local.keys = set.keys.data();
    local.owners = set.owners.data();
    return local;
}

// Calls make(mesh), collective, and wraps the topology.
template <class Make>
halo_status make_topology(halo_mesh *mesh, const char *call_name, halo_topology **topology, Make &&make) {
    return with_handle(mesh, [&] {
        require(topology, "topology");
        const Mesh &object = object_of<Mesh>(mesh);
        const CollectiveCall call(object.context(), call_name, HALO_TIMEOUT_CONFIGURED, object.id());
        std::unique_ptr<Topology> made = make(object);
        ContextObject &owner = *shell_of(mesh)->owner;
        *topology = owner.shells.make<halo_topology>(&owner, made.get());
        made.release();
    });
}

} // namespace

halo_status halo_mesh_create(halo_context *context, const halo_mesh_desc *desc, halo_mesh **mesh) {
    return with_handle(context, [&] {
        require(desc, "desc");
        require(mesh, "mesh");
        const halo_mesh_desc known = read_struct(desc, halo_mesh_desc HALO_MESH_DESC_INIT);
        ContextObject &owner = object_of<ContextObject>(context);
        const CollectiveCall call(owner.context, "mesh");
        auto object = std::make_unique<Mesh>(owner.context, [&] { return read_mesh(known, owner.context.size()); });
        *mesh = owner.shells.make<halo_mesh>(&owner, object.get());
        object.release();
    });
}

halo_status halo_mesh_destroy(halo_mesh **mesh) {
    return guard([&] {
        require(mesh, "mesh");
        const CallLock::Call call = require_callable(shell_of(*mesh), HandleKind::mesh);
        destroy_object<Mesh>(mesh);
    });
}

halo_status halo_mesh_get_local(const halo_mesh *mesh, int32_t set, halo_mesh_local *local) {
    return with_handle(mesh, [&] {
        require(local, "local");
        const Mesh &object = object_of<Mesh>(mesh);
        write_struct(local, described(object, object.set(set)));
    });
}

halo_status halo_mesh_get_map(const halo_mesh *mesh, int32_t map, const uint32_t **to, int64_t *n_rows, int32_t *arity) {
    return with_handle(mesh, [&] {
        require(to, "to");
        const LocalMap &local = object_of<Mesh>(mesh).map(map);
        *to = local.to.data();
        if (n_rows) *n_rows = local.n_rows;
        if (arity) *arity = local.arity;
    });
}

halo_status halo_mesh_topology(halo_mesh *mesh, int32_t set, halo_topology **topology) {
    return make_topology(mesh, "mesh topology", topology, [&](const Mesh &object) { return object.topology(set); });
}

halo_status halo_mesh_distribute(halo_mesh *mesh, int32_t set, const void *brought, void *local, int64_t bytes) {
    return with_handle(mesh, [&] {
        const Mesh &object = object_of<Mesh>(mesh);
        const CollectiveCall call(object.context(), "mesh distribute", HALO_TIMEOUT_CONFIGURED, object.id());
        object.distribute(set, static_cast<const std::byte *>(brought), static_cast<std::byte *>(local), bytes);
    });
}

halo_status halo_mesh_collect(halo_mesh *mesh, int32_t set, const void *local, void *brought, int64_t bytes) {
    return with_handle(mesh, [&] {
        const Mesh &object = object_of<Mesh>(mesh);
        const CollectiveCall call(object.context(), "mesh collect", HALO_TIMEOUT_CONFIGURED, object.id());
        object.collect(set, static_cast<const std::byte *>(local), static_cast<std::byte *>(brought), bytes);
    });
}

halo_status halo_mesh_target_topology(halo_mesh *mesh, int32_t set, const uint64_t *keys, int64_t n, halo_topology **topology) {
    return make_topology(mesh, "mesh targets", topology, [&](const Mesh &object) { return object.target_topology(set, keys, n); });
}

halo_status halo_mesh_add_columns(halo_mesh *mesh, int32_t set, int32_t n_layers, const int32_t *layers, int32_t *columns) {
    return with_handle(mesh, [&] {
        require(columns, "columns");
        Mesh &object = object_of<Mesh>(mesh);
        const CollectiveCall call(object.context(), "mesh columns", HALO_TIMEOUT_CONFIGURED, object.id());
        *columns = object.add_columns(set, n_layers, layers);
    });
}

halo_status halo_mesh_get_columns(const halo_mesh *mesh, int32_t columns, const int64_t **starts, int64_t *n) {
    return with_handle(mesh, [&] {
        require(starts, "starts");
        const Columns &stacked = object_of<Mesh>(mesh).columns(columns);
        *starts = stacked.starts.data();
        if (n) *n = std::ssize(stacked.starts) - 1;
    });
}

halo_status halo_mesh_column_topology(halo_mesh *mesh, int32_t columns, halo_topology **topology) {
    return make_topology(mesh, "column topology", topology, [&](const Mesh &object) { return object.column_topology(columns); });
}

halo_status halo_mesh_get_column_map(const halo_mesh *mesh, int32_t map, int32_t from, int32_t to, const halo_column_entry *entries,
                                     int32_t n_entries, uint32_t *lowest, int64_t capacity, int64_t *n) {
    return with_handle(mesh, [&] {
        if (n_entries < 1) fail(HALO_ERR_ARGUMENT, "mesh columns: %d entries", n_entries);
        require(entries, "entries");
        const Mesh &object = object_of<Mesh>(mesh);
        const int64_t size = object.map(map).n_rows * n_entries;
        if (!takes_list(size, lowest, capacity, n, "mesh columns")) return;
        const std::vector<uint32_t> found = object.column_map(map, from, to, { entries, static_cast<size_t>(n_entries) });
        std::ranges::copy(found, lowest);
    });
}
