// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/description.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"

namespace halo {

namespace {

void check_in(const char *what, const std::string &of, int64_t value, int64_t low, int64_t high) {
    if (value < low || value > high)
        fail(HALO_ERR_ARGUMENT, "mesh: %s: %s is %lld, it must be %lld to %lld", of.c_str(), what, static_cast<long long>(value),
             static_cast<long long>(low), static_cast<long long>(high));
}

std::string name_of(const char *name, const char *kind, size_t number) {
    if (!name || !*name) fail(HALO_ERR_ARGUMENT, "mesh: %s %zu has no name", kind, number);
    return name;
}

void check_given(const MeshSet &set, int32_t n_ranks) {
    for (size_t i = 0; i < set.owners.size(); ++i)
        if (set.owners[i] < 0 || set.owners[i] >= n_ranks)
            fail(HALO_ERR_ARGUMENT, "mesh: set %s: owner %d of entity %llu; there are ranks 0 to %d", set.name.c_str(), set.owners[i],
                 static_cast<unsigned long long>(set.keys[i]), n_ranks - 1);
}

MeshSet read_set(const halo_mesh_set &given, size_t number, size_t n_maps, int32_t n_ranks) {
    MeshSet set;
    set.name = name_of(given.name, "set", number);
    const std::string what = "set " + set.name;
    check_in("owner_rule", what, given.owner_rule, HALO_MESH_OWNER_BROUGHT, HALO_MESH_OWNER_OF_SOURCES);
    set.owner_rule = given.owner_rule;
    check_in("n", what, given.n, 0, INT64_MAX);
    check_limit(("mesh: " + what + ": n").c_str(), given.n, limits::points);
    if (given.n > 0 && !given.keys) fail(HALO_ERR_ARGUMENT, "mesh: %s: %lld entities, no keys", what.c_str(), static_cast<long long>(given.n));
    set.keys = { given.keys, static_cast<size_t>(given.n) };
    if (set.owner_rule == HALO_MESH_OWNER_GIVEN) {
        if (given.n > 0 && !given.owners)
            fail(HALO_ERR_ARGUMENT, "mesh: %s: %lld entities, no owners", what.c_str(), static_cast<long long>(given.n));
        set.owners = { given.owners, static_cast<size_t>(given.n) };
        check_given(set, n_ranks);
    }
    if (!set.follows_map()) return set;
    if (n_maps == 0) fail(HALO_ERR_ARGUMENT, "mesh: %s: its owners follow a map, and there are none", what.c_str());
    check_in("owner_map", what, given.owner_map, 0, static_cast<int64_t>(n_maps) - 1);
    set.owner_map = static_cast<size_t>(given.owner_map);
    return set;
}

MeshMap read_map(const halo_mesh_map &given, size_t number, const std::vector<MeshSet> &sets) {
    MeshMap map;
    map.name = name_of(given.name, "map", number);
    const std::string what = "map " + map.name;
    const int64_t last_set = std::ssize(sets) - 1;
    check_in("from", what, given.from, 0, last_set);
    check_in("to", what, given.to, 0, last_set);
    check_in("arity", what, given.arity, 1, 65536);
    map.from = static_cast<size_t>(given.from);
    map.to = static_cast<size_t>(given.to);
    map.arity = static_cast<size_t>(given.arity);
    const int64_t entries =
        (Checked(std::ssize(sets[map.from].keys)) * given.arity).value(("mesh: " + what + ": its entries").c_str(), limits::graph_entries);
    if (entries > 0 && !given.keys) fail(HALO_ERR_ARGUMENT, "mesh: %s: %lld entries, no keys", what.c_str(), static_cast<long long>(entries));
    map.keys = { given.keys, static_cast<size_t>(entries) };
    if (given.has_none) map.none = given.none;
    return map;
}

void check_rule(const MeshDescription &mesh, size_t number) {
    const MeshSet &set = mesh.sets[number];
    if (!set.follows_map()) return;
    const MeshMap &map = mesh.maps[set.owner_map];
    const bool of_targets = set.owner_rule == HALO_MESH_OWNER_OF_TARGETS;
    if ((of_targets ? map.from : map.to) != number)
        fail(HALO_ERR_ARGUMENT, "mesh: set %s: its owners follow map %s, which does not %s it", set.name.c_str(), map.name.c_str(),
             of_targets ? "start at" : "lead to");
}

// The set whose owners the rule of another needs; its own number: none.
size_t followed_by(const MeshDescription &mesh, size_t number) {
    const MeshSet &set = mesh.sets[number];
    if (!set.follows_map()) return number;
    const MeshMap &map = mesh.maps[set.owner_map];
    return set.owner_rule == HALO_MESH_OWNER_OF_TARGETS ? map.to : map.from;
}

std::vector<size_t> order_owners(const MeshDescription &mesh) {
    std::vector<size_t> order;
    std::vector<bool> is_known(mesh.sets.size(), false);
    for (bool found = true; found;) {
        found = false;
        for (size_t s = 0; s < mesh.sets.size(); ++s) {
            if (is_known[s] || (mesh.sets[s].follows_map() && !is_known[followed_by(mesh, s)])) continue;
            order.push_back(s);
            is_known[s] = found = true;
        }
    }
    for (size_t s = 0; s < mesh.sets.size(); ++s)
        if (!is_known[s])
            fail(HALO_ERR_ARGUMENT, "mesh: set %s: its owners follow map %s to set %s, whose owners follow from its own", mesh.sets[s].name.c_str(),
                 mesh.maps[mesh.sets[s].owner_map].name.c_str(), mesh.sets[followed_by(mesh, s)].name.c_str());
    return order;
}

} // namespace

Terms MeshDescription::terms() const {
    static constexpr const char *rules[] = { "brought", "given", "of targets", "of sources" };
    Terms terms;
    terms.add("depth", std::to_string(depth));
    terms.add("directory", std::to_string(directory));
    terms.add("sets", std::to_string(sets.size()));
    terms.add("maps", std::to_string(maps.size()));
    for (size_t s = 0; s < sets.size(); ++s) {
        const std::string number = "set " + std::to_string(s);
        terms.add(number, sets[s].name);
        terms.add(number + " (owners)", rules[sets[s].owner_rule]);
        if (sets[s].follows_map()) terms.add(number + " (owner map)", std::to_string(sets[s].owner_map));
    }
    for (size_t m = 0; m < maps.size(); ++m) {
        const std::string number = "map " + std::to_string(m);
        terms.add(number, maps[m].name);
        terms.add(number + " (from)", std::to_string(maps[m].from));
        terms.add(number + " (to)", std::to_string(maps[m].to));
        terms.add(number + " (arity)", std::to_string(maps[m].arity));
    }
    return terms;
}

MeshDescription describe_mesh(const halo_mesh_desc &desc, std::span<const halo_mesh_set> sets, std::span<const halo_mesh_map> maps, int32_t n_ranks) {
    MeshDescription mesh;
    if (desc.reserved != 0) fail(HALO_ERR_VERSION, "mesh: reserved is %d, not 0", desc.reserved);
    check_in("depth", "halo_mesh_desc", desc.depth, 1, 11);
    check_in("directory", "halo_mesh_desc", desc.directory, HALO_DIRECTORY_AUTO, HALO_DIRECTORY_HASH);
    mesh.depth = desc.depth;
    mesh.directory = desc.directory;
    for (size_t s = 0; s < sets.size(); ++s) mesh.sets.push_back(read_set(sets[s], s, maps.size(), n_ranks));
    for (size_t m = 0; m < maps.size(); ++m) {
        mesh.maps.push_back(read_map(maps[m], m, mesh.sets));
        mesh.sets[mesh.maps[m].from].maps_from.push_back(m);
        mesh.sets[mesh.maps[m].to].maps_to.push_back(m);
    }
    for (size_t s = 0; s < sets.size(); ++s) check_rule(mesh, s);
    mesh.owner_order = order_owners(mesh);
    return mesh;
}

} // namespace halo
