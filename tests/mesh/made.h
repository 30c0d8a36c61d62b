// SPDX-License-Identifier: BSD-3-Clause
// A model as its ranks bring it, what the library has made of it, and values on that.
#pragma once

#include <map>
#include <vector>

#include "model.h"
#include "placed.h"

namespace mesh {

using conformance::stop;
using Seed = unsigned long long;

// What one rank brings of a model, in any order.
class Brought {
public:
    Brought(const Model &model, int32_t rank, uint64_t seed) : rows_(model.maps.size()), keys_(model.sets.size()), owners_(model.sets.size()) {
        Random random(seed * 31 + static_cast<uint64_t>(rank));
        for (size_t s = 0; s < model.sets.size(); ++s) add_set(model, s, rank, random);
        for (size_t s = 0; s < model.sets.size(); ++s) {
            halo_mesh_set set = HALO_MESH_SET_INIT;
            set.name = model.sets[s].name.c_str();
            set.n = static_cast<int64_t>(keys_[s].size());
            set.keys = keys_[s].data();
            set.owners = owners_[s].data();
            set.owner_rule = model.sets[s].rule;
            set.owner_map = static_cast<int32_t>(model.sets[s].owner_map);
            sets_.push_back(set);
        }
        for (size_t m = 0; m < model.maps.size(); ++m) {
            halo_mesh_map map = HALO_MESH_MAP_INIT;
            map.name = model.maps[m].name.c_str();
            map.from = static_cast<int32_t>(model.maps[m].from);
            map.to = static_cast<int32_t>(model.maps[m].to);
            map.arity = model.maps[m].arity;
            map.has_none = model.maps[m].has_none;
            map.none = nowhere;
            map.keys = rows_[m].data();
            maps_.push_back(map);
        }
        desc.depth = model.depth;
        desc.n_sets = static_cast<int32_t>(sets_.size());
        desc.sets = sets_.data();
        desc.n_maps = static_cast<int32_t>(maps_.size());
        desc.maps = maps_.data();
    }

    const std::vector<uint64_t> &keys(size_t set) const { return keys_[set]; }

    halo_mesh_desc desc = HALO_MESH_DESC_INIT;

private:
    void add_set(const Model &model, size_t s, int32_t rank, Random &random) {
        for (const auto &[key, entity] : model.sets[s].entities)
            if (entity.bringer == rank) keys_[s].push_back(key);
        std::shuffle(keys_[s].begin(), keys_[s].end(), random);
        for (const uint64_t key : keys_[s]) {
            const Entity &entity = model.at(s, key);
            owners_[s].push_back(entity.given);
            for (const auto &[m, row] : entity.rows) rows_[m].insert(rows_[m].end(), row.begin(), row.end());
        }
    }

    std::vector<std::vector<uint64_t>> rows_, keys_;
    std::vector<std::vector<int32_t>> owners_;
    std::vector<halo_mesh_set> sets_;
    std::vector<halo_mesh_map> maps_;
};

struct Local {
    halo_mesh_local known = HALO_MESH_LOCAL_INIT;
    std::map<uint64_t, uint32_t> index;

    Local(const halo_mesh *made, size_t set) {
        OK(halo_mesh_get_local(made, static_cast<int32_t>(set), &known));
        for (int64_t i = 0; i < known.n; ++i) index[known.keys[i]] = static_cast<uint32_t>(i);
    }
    Keys keys(int64_t begin, int64_t end) const { return { known.keys + begin, known.keys + end }; }
};

inline int64_t value_of(uint64_t key) { return static_cast<int64_t>(key % 1000003) + 7; }

// A field of whole numbers on a set, by local index.
class Values {
public:
    Values(halo_mesh *made, size_t set, int64_t n, int32_t rank, const char *name = "u") : values(static_cast<size_t>(n), -1) {
        OK(halo_mesh_topology(made, static_cast<int32_t>(set), &topology_));
        halo_field_desc desc = HALO_FIELD_DESC_INIT;
        desc.name = name;
        desc.type = HALO_INT64;
        OK(halo_field_create(topology_, &desc, &field));
        halo_binding binding = HALO_BINDING_INIT;
        binding.data = values.data();
        OK(halo_field_bind(field, rank, &binding));
    }
    ~Values() {
        halo_field_destroy(&field);
        halo_topology_destroy(&topology_);
    }
    Values(const Values &) = delete;
    Values &operator=(const Values &) = delete;

    std::vector<int64_t> values;
    halo_field *field = nullptr;

private:
    halo_topology *topology_ = nullptr;
};

// One exchange of all ghosts, or those within a reach: others keep what they hold.
inline void exchange(halo_field *field, uint32_t sections) {
    halo_exchange_desc desc = HALO_EXCHANGE_DESC_INIT;
    desc.sections = &sections;
    halo_exchange *made = nullptr;
    OK(halo_exchange_create(&field, 1, &desc, &made));
    OK(halo_exchange_start(made, nullptr, HALO_STREAM_NONE));
    OK(halo_exchange_finish(made, HALO_STREAM_NONE));
    OK(halo_exchange_destroy(&made));
}

} // namespace mesh
