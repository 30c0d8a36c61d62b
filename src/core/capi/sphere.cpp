// SPDX-License-Identifier: BSD-3-Clause
#include "sphere/sphere.h"

#include "capi/create_topology.h"
#include "capi/list.h"
#include "sphere/position.h"
#include "sphere/quads.h"
#include "sphere/reduced_rows.h"

using namespace halo;

namespace {

SphereLattice checked_lattice(int32_t solid, int64_t n, int32_t kind) {
    check_sphere_grid(solid, n);
    check_sphere_kind(kind);
    return { solid, n };
}

// Of the call that makes it, for texts.
const char *const topology_calls[n_sphere_kinds] = { "sphere cells", "sphere edges", "sphere vertices" };

} // namespace

halo_status halo_sphere_key(int32_t solid, int64_t n, int32_t kind, const halo_sphere_entity *entity, uint64_t *key) {
    return guard([&] {
        const SphereLattice lattice = checked_lattice(solid, n, kind);
        require(entity, "entity");
        require(key, "key");
        lattice.check(kind, *entity);
        *key = lattice.key_of(kind, lattice.point_of(kind, *entity));
    });
}

halo_status halo_sphere_entity_of(int32_t solid, int64_t n, int32_t kind, uint64_t key, halo_sphere_entity *entity) {
    return guard([&] {
        const SphereLattice lattice = checked_lattice(solid, n, kind);
        require(entity, "entity");
        lattice.check(kind, key);
        *entity = lattice.entity_of(kind, lattice.point_of(kind, key));
    });
}

halo_status halo_sphere_key_neighbours(int32_t solid, int64_t n, int32_t from, uint64_t key, int32_t to, uint64_t *neighbours,
                                       int32_t *n_neighbours) {
    return guard([&] {
        const SphereLattice lattice = checked_lattice(solid, n, from);
        check_sphere_kind(to);
        require(neighbours, "neighbours");
        require(n_neighbours, "n_neighbours");
        lattice.check(from, key);
        const SphereNeighbours all = lattice.neighbours(lattice.point_of(from, key), from, to);
        for (int32_t k = 0; k < all.n; ++k) neighbours[k] = lattice.key_of(to, all.points[static_cast<size_t>(k)]);
        *n_neighbours = all.n;
    });
}

halo_status halo_sphere_position(int32_t solid, int64_t n, int32_t kind, uint64_t key, double *position) {
    return guard([&] {
        const SphereLattice lattice = checked_lattice(solid, n, kind);
        require(position, "position");
        lattice.check(kind, key);
        std::ranges::copy(sphere_position(lattice, lattice.point_of(kind, key)), position);
    });
}

halo_status halo_sphere_create(halo_context *context, const halo_sphere_desc *desc, halo_sphere **sphere) {
    return with_handle(context, [&] {
        require(desc, "desc");
        require(sphere, "sphere");
        const halo_sphere_desc known = read_struct(desc, halo_sphere_desc HALO_SPHERE_DESC_INIT);
        ContextObject &owner = object_of<ContextObject>(context);
        const CollectiveCall call(owner.context, "sphere");
        auto object = std::make_unique<Sphere>(owner.context, known);
        *sphere = owner.shells.make<halo_sphere>(&owner, object.get());
        object.release();
    });
}

halo_status halo_sphere_destroy(halo_sphere **sphere) {
    return guard([&] {
        require(sphere, "sphere");
        const CallLock::Call call = require_callable(shell_of(*sphere), HandleKind::sphere);
        destroy_object<Sphere>(sphere);
    });
}

halo_status halo_sphere_local_parts(const halo_sphere *sphere, const int64_t **gids, int64_t *n) {
    return with_handle(sphere, [&] {
        require(n, "n");
        const auto &parts = object_of<Sphere>(sphere).local_parts();
        if (gids) *gids = parts.data();
        *n = std::ssize(parts);
    });
}

halo_status halo_sphere_get_part(const halo_sphere *sphere, int64_t gid, halo_sphere_part *part) {
    return with_handle(sphere, [&] {
        require(part, "part");
        write_struct(part, object_of<Sphere>(sphere).part(gid));
    });
}

halo_status halo_sphere_ring_ends(const halo_sphere *sphere, int64_t gid, int32_t kind, int64_t *ends, int64_t capacity, int64_t *n) {
    return with_handle(sphere, [&] { write_list(object_of<Sphere>(sphere).halo(gid, kind).ring_ends(), ends, capacity, n, "ends"); });
}

halo_status halo_sphere_keys(const halo_sphere *sphere, int64_t gid, int32_t kind, uint64_t *keys, int64_t capacity, int64_t *n) {
    return with_handle(sphere, [&] { write_list(object_of<Sphere>(sphere).halo(gid, kind).keys(), keys, capacity, n, "keys"); });
}

halo_status halo_sphere_neighbours(const halo_sphere *sphere, int64_t gid, int32_t from, int32_t to, uint32_t *table, int64_t capacity, int64_t *n) {
    return with_handle(sphere, [&] { write_list(object_of<Sphere>(sphere).table(gid, from, to), table, capacity, n, "table"); });
}

halo_status halo_sphere_topology(halo_sphere *sphere, int32_t kind, halo_topology **topology) {
    return with_handle(sphere, [&] {
        require(topology, "topology");
        const Sphere &object = object_of<Sphere>(sphere);
        check_sphere_kind(kind);
        ContextObject *owner = shell_of(sphere)->owner;
        const CollectiveCall call(owner->context, topology_calls[kind], HALO_TIMEOUT_CONFIGURED, object.id());
        auto made = object.topology(kind);
        *topology = owner->shells.make<halo_topology>(owner, made.get());
        made.release();
    });
}

halo_status halo_topology_create_cubed_sphere(halo_context *context, const halo_cubed_sphere_desc *desc, halo_topology **topology) {
    return create_topology<halo_cubed_sphere_desc>(context, desc, HALO_CUBED_SPHERE_DESC_INIT, "cubed_sphere", topology, make_cubed_sphere);
}

halo_status halo_topology_create_latitudes(halo_context *context, const halo_latitudes_desc *desc, halo_topology **topology) {
    return create_topology<halo_latitudes_desc>(context, desc, HALO_LATITUDES_DESC_INIT, "latitudes", topology, make_latitudes);
}

halo_status halo_topology_create_reduced_rows(halo_context *context, const halo_reduced_rows_desc *desc, halo_topology **topology) {
    return create_topology<halo_reduced_rows_desc>(context, desc, HALO_REDUCED_ROWS_DESC_INIT, "reduced_rows", topology, make_reduced_rows);
}

halo_status halo_reduced_rows_neighbours(const halo_reduced_rows_desc *desc, uint64_t key, uint64_t *neighbours, int64_t capacity, int64_t *n) {
    return guard([&] {
        require(desc, "desc");
        const halo_reduced_rows_desc known = read_struct(desc, halo_reduced_rows_desc HALO_REDUCED_ROWS_DESC_INIT);
        write_list(ReducedRows(known).neighbours(key), neighbours, capacity, n, "neighbours");
    });
}
