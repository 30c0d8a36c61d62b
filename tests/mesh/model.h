// SPDX-License-Identifier: BSD-3-Clause
// Random meshes as all ranks know them, and what each rank must store by the definitions in halo_mesh.h, with sets of keys.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "halo_mesh.h"

namespace mesh {

using Random = std::mt19937_64;
inline int64_t pick(Random &random, int64_t low, int64_t high) { return std::uniform_int_distribution<int64_t>(low, high)(random); }

inline constexpr uint64_t nowhere = 4242;

struct Entity {
    int32_t bringer; // -1: nobody
    int32_t given;   // rank that a partitioner would choose
    int32_t owner = -1;
    std::map<size_t, std::vector<uint64_t>> rows{}; // by map
};

struct ModelSet {
    std::string name;
    int32_t rule = HALO_MESH_OWNER_BROUGHT;
    size_t owner_map = 0;
    std::map<uint64_t, Entity> entities;
};

struct ModelMap {
    std::string name;
    size_t from;
    size_t to;
    int32_t arity;
    bool has_none;
};

using Keys = std::set<uint64_t>;

// What one rank stores of a set.
struct Stored {
    Keys own;
    std::vector<Keys> layers; // [0]: own, [k]: layer k alone
    std::vector<Keys> reach;  // all ghosts within reach k
    Keys executed(size_t layer) const;
};

struct Model {
    int32_t n_ranks = 1;
    int32_t depth = 1;
    std::vector<ModelSet> sets;
    std::vector<ModelMap> maps;

    const Entity &at(size_t set, uint64_t key) const { return sets[set].entities.at(key); }
    bool leads(size_t map, uint64_t key) const { return !maps[map].has_none || key != nowhere; }
    std::vector<Stored> stored(int32_t rank) const;
    bool is_core(size_t set, uint64_t key, int32_t rank) const;

private:
    bool leads_into(size_t set, uint64_t key, const std::vector<Keys> &region) const;
};

// `most`: entities of a set.
Model random_model(Random &random, int32_t n_ranks, int64_t most = 40);

} // namespace mesh
