// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/known_mesh.h"

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace halo {

namespace {

constexpr size_t check_stride = 64; // one key in so many is looked at

// Where the keys of a set lie that this rank brings or leads to, if they lie close together. A few may lie elsewhere.
DenseKeys dense_keys(const MeshDescription &mesh, size_t set) {
    uint64_t low = UINT64_MAX, high = 0, n = 0; // of rows: their entries are met several times
    const auto widen = [&](std::span<const uint64_t> keys, size_t arity, std::optional<uint64_t> none) {
        n += keys.size() / arity;
        for (size_t i = 0; i < keys.size(); i += check_stride) {
            if (none == keys[i]) continue;
            low = std::min(low, keys[i]);
            high = std::max(high, keys[i]);
        }
    };
    widen(mesh.sets[set].keys, 1, std::nullopt);
    for (const size_t m : mesh.sets[set].maps_to) widen(mesh.maps[m].keys, mesh.maps[m].arity, mesh.maps[m].none);
    return dense_range(low, high, n);
}

} // namespace

uint32_t KnownSet::add(uint64_t key, int32_t owner) {
    const auto [number, is_new] = index.add(key);
    if (is_new) {
        owners.push_back(owner);
        layer.push_back(never);
        reach.push_back(never);
        later_rows_.push_back(none);
    }
    return number;
}

void KnownSet::begin(size_t n_brought) {
    n_brought_ = n_brought;
    owners.reserve(with_room(size()));
    layer.reserve(with_room(size()));
    reach.reserve(with_room(size()));
    owners.resize(size(), nobody);
    layer.resize(size(), never);
    reach.resize(size(), never);
    later_rows_.resize(size() - n_brought, none);
}

void KnownSet::add_row(uint32_t number) {
    later_rows_[number - n_brought_] = static_cast<uint32_t>(n_rows());
    later_.push_back(number);
}

void KnownMesh::add_brought(const MeshDescription &mesh) {
    sets.resize(mesh.sets.size());
    rows.resize(mesh.maps.size());
    for (size_t s = 0; s < sets.size(); ++s) {
        const MeshSet &brought = mesh.sets[s];
        KnownSet &set = sets[s];
        set.index = KeyIndex(with_room(brought.keys.size()), dense_keys(mesh, s));
        const uint32_t again = set.index.add_first(brought.keys);
        if (again != KeyIndex::none)
            fail(HALO_ERR_ARGUMENT, "mesh: set %s: this rank brings entity %llu twice", brought.name.c_str(),
                 static_cast<unsigned long long>(brought.keys[again]));
    }
    for (size_t m = 0; m < rows.size(); ++m) {
        const MeshMap &map = mesh.maps[m];
        KeyIndex &index = sets[map.to].index;
        rows[m].reserve(with_room(map.keys.size()));
        rows[m].resize(map.keys.size());
        uint32_t *to = rows[m].data();
        const bool none_is_key = map.none && index.find(*map.none) != KnownSet::none; // of an entity, to which this map cannot lead
        const DenseNumbers expected = none_is_key ? DenseNumbers{} : index.dense();
        for (const uint64_t key : map.keys) {
            uint32_t number = expected.find(key);
            if (number == KnownSet::none && map.none != key) number = index.add(key).first;
            *to++ = number;
        }
    }
    for (size_t s = 0; s < sets.size(); ++s) sets[s].begin(mesh.sets[s].keys.size());
}

} // namespace halo
