// SPDX-License-Identifier: BSD-3-Clause
/**
 * @file halo_mesh.hpp
 * The C interface of halo_mesh.h with owners and exceptions, as halo.hpp is that of halo.h.
 *
 *     halo::MeshSets sets;
 *     const int32_t cells = sets.add("cells", cell_keys, owners), nodes = sets.add("nodes");
 *     const int32_t corners = sets.map("corners", cells, nodes, 4, corner_keys);
 *     sets.owners_of_sources(nodes, corners);
 *     halo::Mesh mesh(context, sets, 2);
 *     const halo::Topology topology = mesh.topology(nodes);
 *     const halo::LocalMap corners_of = mesh.map(corners);
 *     for (const std::uint32_t node : corners_of.row(cell)) ...
 */
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "halo.hpp"
#include "halo_mesh.h"

namespace halo {

/// What a rank brings. Names are copied; keys and owners must live until the mesh has been made.
class MeshSets {
public:
    MeshSets() = default;
    MeshSets(const MeshSets &) = delete; // names are pointed to
    MeshSets &operator=(const MeshSets &) = delete;

    /// Owned by the rank that brings them. Returns the set's number, as the two below.
    std::int32_t add(const std::string &name, std::span<const std::uint64_t> keys = {}) {
        halo_mesh_set set = HALO_MESH_SET_INIT;
        set.name = names_.emplace_back(name).c_str();
        set.n = static_cast<std::int64_t>(keys.size());
        set.keys = keys.data();
        sets_.push_back(set);
        return static_cast<std::int32_t>(sets_.size()) - 1;
    }
    std::int32_t add(const std::string &name, std::span<const std::uint64_t> keys, std::span<const std::int32_t> owners) {
        if (owners.size() != keys.size()) throw error(HALO_ERR_ARGUMENT, "mesh: set " + name + ": other numbers of keys and owners");
        const std::int32_t number = add(name, keys);
        sets_.back().owner_rule = HALO_MESH_OWNER_GIVEN;
        sets_.back().owners = owners.data();
        return number;
    }
    /// Returns the map's number.
    std::int32_t map(const std::string &name, std::int32_t from, std::int32_t to, std::int32_t arity, std::span<const std::uint64_t> keys) {
        if (static_cast<std::int64_t>(keys.size()) != sets_.at(static_cast<std::size_t>(from)).n * arity)
            throw error(HALO_ERR_ARGUMENT, "mesh: map " + name + ": not `arity` keys for each entity of the set where it starts");
        halo_mesh_map map = HALO_MESH_MAP_INIT;
        map.name = names_.emplace_back(name).c_str();
        map.from = from;
        map.to = to;
        map.arity = arity;
        map.keys = keys.data();
        maps_.push_back(map);
        return static_cast<std::int32_t>(maps_.size()) - 1;
    }
    /// Entries of a map that lead nowhere.
    void none(std::int32_t map, std::uint64_t key) {
        maps_.at(static_cast<std::size_t>(map)).has_none = 1;
        maps_.at(static_cast<std::size_t>(map)).none = key;
    }
    void owners_of_targets(std::int32_t set, std::int32_t map) { follow(set, HALO_MESH_OWNER_OF_TARGETS, map); }
    void owners_of_sources(std::int32_t set, std::int32_t map) { follow(set, HALO_MESH_OWNER_OF_SOURCES, map); }

    halo_mesh_desc desc(std::int32_t depth) const {
        halo_mesh_desc desc = HALO_MESH_DESC_INIT;
        desc.depth = depth;
        desc.n_sets = static_cast<std::int32_t>(sets_.size());
        desc.sets = sets_.data();
        desc.n_maps = static_cast<std::int32_t>(maps_.size());
        desc.maps = maps_.data();
        return desc;
    }

private:
    void follow(std::int32_t set, std::int32_t rule, std::int32_t map) {
        sets_.at(static_cast<std::size_t>(set)).owner_rule = rule;
        sets_.at(static_cast<std::size_t>(set)).owner_map = map;
    }

    std::deque<std::string> names_; // which stay where they are
    std::vector<halo_mesh_set> sets_;
    std::vector<halo_mesh_map> maps_;
};

/// A map by local index; valid as long as the mesh.
struct LocalMap {
    std::span<const std::uint32_t> to;
    std::int64_t n_rows = 0;
    std::int32_t arity = 1;

    std::span<const std::uint32_t> row(std::int64_t entity) const {
        return to.subspan(static_cast<std::size_t>(entity) * static_cast<std::size_t>(arity), static_cast<std::size_t>(arity));
    }
};

class Mesh : public Handle<halo_mesh, halo_mesh_destroy> {
public:
    Mesh(const Context &context, const halo_mesh_desc &desc) { check(halo_mesh_create(context, &desc, &handle_)); }
    Mesh(const Context &context, const MeshSets &sets, std::int32_t depth = 1) : Mesh(context, sets.desc(depth)) {}

    /// Its lists are valid as long as the mesh.
    halo_mesh_local local(std::int32_t set) const {
        halo_mesh_local local = HALO_MESH_LOCAL_INIT;
        check(halo_mesh_get_local(handle_, set, &local));
        return local;
    }
    LocalMap map(std::int32_t number) const {
        LocalMap map;
        const std::uint32_t *to = nullptr;
        check(halo_mesh_get_map(handle_, number, &to, &map.n_rows, &map.arity));
        map.to = { to, static_cast<std::size_t>(map.n_rows) * static_cast<std::size_t>(map.arity) };
        return map;
    }
    /// Collective, as the three below.
    Topology topology(std::int32_t set) {
        halo_topology *topology = nullptr;
        check(halo_mesh_topology(handle_, set, &topology));
        return Topology::adopt(topology);
    }
    /// Part 2 * rank: own entities, part 2 * rank + 1: any entities.
    Topology target_topology(std::int32_t set, std::span<const std::uint64_t> keys) {
        halo_topology *topology = nullptr;
        check(halo_mesh_target_topology(handle_, set, keys.data(), static_cast<std::int64_t>(keys.size()), &topology));
        return Topology::adopt(topology);
    }
    /// Values that were brought, to their owners; and the way back.
    template <class T>
    void distribute(std::int32_t set, const T *brought, T *local) {
        static_assert(std::is_trivially_copyable_v<T>, "values are copied as bytes");
        check(halo_mesh_distribute(handle_, set, brought, local, sizeof(T)));
    }
    template <class T>
    void collect(std::int32_t set, const T *local, T *brought) {
        static_assert(std::is_trivially_copyable_v<T>, "values are copied as bytes");
        check(halo_mesh_collect(handle_, set, local, brought, sizeof(T)));
    }

    /// As many layers over each entity, or over each own one its own number of them. Returns the number of the columns. Collective.
    std::int32_t add_columns(std::int32_t set, std::int32_t n_layers) { return add_columns(set, n_layers, nullptr); }
    std::int32_t add_columns(std::int32_t set, std::span<const std::int32_t> layers) {
        if (static_cast<std::int64_t>(layers.size()) != local(set).n_owned)
            throw error(HALO_ERR_ARGUMENT, "mesh: columns: not as many numbers of layers as own entities");
        return add_columns(set, 0, layers.data());
    }
    /// Where the column of each entity starts, and the end; valid as long as the mesh.
    std::span<const std::int64_t> columns(std::int32_t number) const {
        const std::int64_t *starts = nullptr;
        std::int64_t n = 0;
        check(halo_mesh_get_columns(handle_, number, &starts, &n));
        return { starts, static_cast<std::size_t>(n) + 1 };
    }
    /// Collective.
    Topology column_topology(std::int32_t columns) {
        halo_topology *topology = nullptr;
        check(halo_mesh_column_topology(handle_, columns, &topology));
        return Topology::adopt(topology);
    }
    /// For each row of the map, for each entry, where the lowest layer leads.
    std::vector<std::uint32_t> column_map(std::int32_t map, std::int32_t from, std::int32_t to, std::span<const halo_column_entry> entries) const {
        const auto n_entries = static_cast<std::int32_t>(entries.size());
        return detail::all_of<std::uint32_t>(
            [&](auto... list) { return halo_mesh_get_column_map(handle_, map, from, to, entries.data(), n_entries, list...); });
    }

private:
    std::int32_t add_columns(std::int32_t set, std::int32_t n_layers, const std::int32_t *layers) {
        std::int32_t columns = -1;
        check(halo_mesh_add_columns(handle_, set, n_layers, layers, &columns));
        return columns;
    }
};

} // namespace halo
