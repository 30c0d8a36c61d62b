// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file halo_sphere.hpp
 * The C interface of halo_sphere.h with owners and exceptions, as halo.hpp is that of halo.h.
 *
 *     halo_sphere_desc desc = HALO_SPHERE_DESC_INIT;
 *     desc.n = 64;
 *     halo::Sphere sphere(context, desc);
 *     const halo::Topology cells = sphere.topology(HALO_SPHERE_CELLS), edges = sphere.topology(HALO_SPHERE_EDGES);
 */
#pragma once

#include <array>

#include "halo.hpp"
#include "halo_sphere.h"

namespace halo {

/// What a key names: a solid, its divisions, and a kind of entity.
struct SphereGrid {
    std::int32_t solid = HALO_SPHERE_ICOSAHEDRON;
    std::int64_t n = 1;

    std::uint64_t key(std::int32_t kind, const halo_sphere_entity &entity) const {
        std::uint64_t key = 0;
        check(halo_sphere_key(solid, n, kind, &entity, &key));
        return key;
    }
    halo_sphere_entity entity_of(std::int32_t kind, std::uint64_t key) const {
        halo_sphere_entity entity{};
        check(halo_sphere_entity_of(solid, n, kind, key, &entity));
        return entity;
    }
    /// In the order of the C function's tables.
    std::vector<std::uint64_t> neighbours(std::int32_t from, std::uint64_t key, std::int32_t to) const {
        std::vector<std::uint64_t> neighbours(6);
        std::int32_t n_neighbours = 0;
        check(halo_sphere_key_neighbours(solid, n, from, key, to, neighbours.data(), &n_neighbours));
        neighbours.resize(static_cast<std::size_t>(n_neighbours));
        return neighbours;
    }
    /// On the unit sphere.
    std::array<double, 3> position(std::int32_t kind, std::uint64_t key) const {
        std::array<double, 3> position{};
        check(halo_sphere_position(solid, n, kind, key, position.data()));
        return position;
    }
};

/// By a function that makes a topology of a description. Collective, as the three below.
template <class Desc>
Topology make_topology(halo_status (*create)(halo_context *, const Desc *, halo_topology **), const Context &context, const Desc &desc) {
    halo_topology *topology = nullptr;
    check(create(context, &desc, &topology));
    return Topology::adopt(topology);
}
inline Topology cubed_sphere(const Context &context, const halo_cubed_sphere_desc &desc) {
    return make_topology(halo_topology_create_cubed_sphere, context, desc);
}
inline Topology latitudes(const Context &context, const halo_latitudes_desc &desc) {
    return make_topology(halo_topology_create_latitudes, context, desc);
}
inline Topology reduced_rows(const Context &context, const halo_reduced_rows_desc &desc) {
    return make_topology(halo_topology_create_reduced_rows, context, desc);
}

/// Keys beside that of a cell of reduced rows, whose description also makes the topology.
inline std::vector<std::uint64_t> reduced_rows_neighbours(const halo_reduced_rows_desc &desc, std::uint64_t key) {
    return detail::all_of<std::uint64_t>([&](auto... list) { return halo_reduced_rows_neighbours(&desc, key, list...); });
}

class Sphere : public Handle<halo_sphere, halo_sphere_destroy> {
public:
    Sphere(const Context &context, const halo_sphere_desc &desc) { check(halo_sphere_create(context, &desc, &handle_)); }

    /// Valid as long as the sphere.
    std::span<const std::int64_t> local_parts() const {
        const std::int64_t *gids = nullptr;
        std::int64_t n = 0;
        check(halo_sphere_local_parts(handle_, &gids, &n));
        return { gids, static_cast<std::size_t>(n) };
    }
    halo_sphere_part part(std::int64_t gid) const {
        halo_sphere_part part = HALO_SPHERE_PART_INIT;
        check(halo_sphere_get_part(handle_, gid, &part));
        return part;
    }
    /// By local index.
    std::vector<std::uint64_t> keys(std::int64_t gid, std::int32_t kind) const {
        std::vector<std::uint64_t> keys(n_local(gid, kind));
        std::int64_t n = 0;
        check(halo_sphere_keys(handle_, gid, kind, keys.data(), size(keys), &n));
        return keys;
    }
    /// Local entities up to each ring.
    std::vector<std::int64_t> ring_ends(std::int64_t gid, std::int32_t kind) const {
        return detail::all_of<std::int64_t>([&](auto... list) { return halo_sphere_ring_ends(handle_, gid, kind, list...); });
    }
    /// Rows of halo_sphere_width(from, to) local indices.
    std::vector<std::uint32_t> neighbours(std::int64_t gid, std::int32_t from, std::int32_t to) const {
        std::vector<std::uint32_t> table(n_local(gid, from) * static_cast<std::size_t>(halo_sphere_width(from, to)));
        std::int64_t n = 0;
        check(halo_sphere_neighbours(handle_, gid, from, to, table.data(), size(table), &n));
        return table;
    }
    /// Collective.
    Topology topology(std::int32_t kind) {
        halo_topology *topology = nullptr;
        check(halo_sphere_topology(handle_, kind, &topology));
        return Topology::adopt(topology);
    }

private:
    std::size_t n_local(std::int64_t gid, std::int32_t kind) const {
        if (kind < 0 || kind > HALO_SPHERE_VERTICES) throw error(HALO_ERR_ARGUMENT, "sphere: no such kind");
        return static_cast<std::size_t>(part(gid).n_local[kind]);
    }
    template <class T>
    static std::int64_t size(const std::vector<T> &list) {
        return static_cast<std::int64_t>(list.size());
    }
};

} // namespace halo
