// SPDX-License-Identifier: BSD-3-Clause
// Sets and maps as this rank brings them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/terms.h"
#include "halo_mesh.h"

namespace halo {

struct MeshSet {
    std::string name;
    int32_t owner_rule = HALO_MESH_OWNER_BROUGHT;
    size_t owner_map = 0; // where the rule follows one
    std::span<const uint64_t> keys;
    std::span<const int32_t> owners;
    std::vector<size_t> maps_from;
    std::vector<size_t> maps_to;

    bool follows_map() const { return owner_rule == HALO_MESH_OWNER_OF_TARGETS || owner_rule == HALO_MESH_OWNER_OF_SOURCES; }
    // Are there entities that nobody brings?
    bool may_be_implied() const { return owner_rule == HALO_MESH_OWNER_OF_SOURCES && maps_from.empty(); }
};

struct MeshMap {
    std::string name;
    size_t from = 0;
    size_t to = 0;
    size_t arity = 1;
    std::span<const uint64_t> keys;
    std::optional<uint64_t> none;
};

struct MeshDescription {
    int32_t depth = 1;
    int32_t directory = HALO_DIRECTORY_AUTO;
    std::vector<MeshSet> sets;
    std::vector<MeshMap> maps;
    std::vector<size_t> owner_order; // of sets: those whose owners a rule needs come before those that it decides

    // What all ranks must give alike.
    Terms terms() const;
};

// What is pointed to must outlive it. HALO_ERR_ARGUMENT, HALO_ERR_LIMIT.
MeshDescription describe_mesh(const halo_mesh_desc &desc, std::span<const halo_mesh_set> sets, std::span<const halo_mesh_map> maps, int32_t n_ranks);

} // namespace halo
