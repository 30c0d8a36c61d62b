// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/mesh.h"

#include <cstddef>

#include "base/checked.h"
#include "base/limits.h"
#include "capi/create_topology.h"

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
        require_callable(shell_of(*mesh), HandleKind::mesh);
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
    return with_handle(mesh, [&] {
        require(topology, "topology");
        const Mesh &object = object_of<Mesh>(mesh);
        const CollectiveCall call(object.context(), "mesh topology", HALO_TIMEOUT_CONFIGURED, object.id());
        std::unique_ptr<Topology> made = object.topology(set);
        ContextObject &owner = *shell_of(mesh)->owner;
        *topology = owner.shells.make<halo_topology>(&owner, made.get());
        made.release();
    });
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
