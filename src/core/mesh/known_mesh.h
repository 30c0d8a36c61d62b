// SPDX-License-Identifier: BSD-3-Clause
// What a rank knows of a mesh while it is made local. Entities have numbers, in the order in which it gets to know them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/description.h"
#include "topology/keys/key_index.h"

namespace halo {

// Room for what comes from other ranks, beside what is brought. What is not used of it costs no memory.
constexpr size_t with_room(size_t n) { return n + n / 4; }

class KnownSet {
public:
    static constexpr uint32_t none = KeyIndex::none; // no entity; no row
    static constexpr uint8_t never = UINT8_MAX;
    static constexpr int32_t nobody = -1;

    KeyIndex index{ 0 };
    // By number.
    std::vector<int32_t> owners;
    std::vector<uint8_t> layer; // of ghosts: that executes it
    std::vector<uint8_t> reach; // of ghosts: the least that it lies in

    std::vector<bool> leaves; // by place of the row: does an own entity lead to one of others?

    size_t size() const { return index.keys().size(); }
    uint64_t key(uint32_t number) const { return index.keys()[number]; }
    uint32_t add(uint64_t key, int32_t owner);
    // What is in the index; the first `n_brought` come with their rows.
    void begin(size_t n_brought);

    // Rows have places in the order in which they come: those that are brought, by number, then others.
    size_t n_rows() const { return n_brought_ + later_.size(); }
    uint32_t entity_at(size_t place) const { return place < n_brought_ ? static_cast<uint32_t>(place) : later_[place - n_brought_]; }
    uint32_t row_of(uint32_t number) const { return number < n_brought_ ? number : later_rows_[number - n_brought_]; }
    size_t n_brought() const { return n_brought_; }
    bool has_row(uint32_t number) const { return row_of(number) != none; }
    void add_row(uint32_t number);

private:
    size_t n_brought_ = 0;
    std::vector<uint32_t> later_;      // numbers, by place
    std::vector<uint32_t> later_rows_; // places, by number
};

struct KnownMesh {
    // What this rank brings, and where that leads. HALO_ERR_ARGUMENT: a key comes twice.
    void add_brought(const MeshDescription &mesh);
    // Where an entity with a row leads by a map.
    std::span<const uint32_t> row(const MeshDescription &mesh, size_t map, size_t place) const {
        return std::span(rows[map]).subspan(place * mesh.maps[map].arity, mesh.maps[map].arity);
    }

    std::vector<KnownSet> sets;
    std::vector<LargeVector<uint32_t>> rows; // by map: numbers, in the order of the places of rows of the set where it starts
};

} // namespace halo
